#if Server
    import PostgRESTDouble
    import SyncPostgres
    import Testing

    extension SupabaseTests {
        /// The checks of the security tests report every protection that is missing.
        @Suite struct SecurityMutants {
            /// A check of `SecurityProbe`.
            enum Check: String, Sendable {
                case reads, privateTables, writes, forgedOwners, operatorFunctions
                case searchPaths, definers, policies, functionRights, directCalls

                func findings(_ probe: SecurityProbe) async throws -> [String] {
                    switch self {
                    case .reads: try await probe.reads()
                    case .privateTables: try await probe.privateTables()
                    case .writes: try await probe.writes()
                    case .forgedOwners: try await probe.forgedOwners()
                    case .operatorFunctions: try await probe.operatorFunctions()
                    case .searchPaths: try await probe.searchPaths()
                    case .definers: try await probe.definers()
                    case .policies: try await probe.policies()
                    case .functionRights: try await probe.functionRights()
                    case .directCalls: try await probe.directCalls()
                    }
                }
            }

            /// The generated SQL with one protection broken.
            struct Mutant: Sendable, CustomTestStringConvertible {
                /// What stands in the SQL.
                var text: String
                /// What stands there instead.
                var replacement: String
                /// The check that must report it.
                var check: Check
                /// A part of what the check must say.
                var finding: String

                init(_ text: String, becomes replacement: String, _ check: Check, says finding: String) {
                    (self.text, self.replacement) = (text, replacement)
                    (self.check, self.finding) = (check, finding)
                }

                var testDescription: String { "\(text) -> \(replacement)" }

                /// The SQL. The text must be in one place, or in one of each of two files: the rights are in both.
                func sql() throws -> [SQLFile] {
                    var places = 0
                    let files = try ShippedSchemas.sql().map { file in
                        let parts = file.contents.split(separator: text, omittingEmptySubsequences: false)
                        #expect(parts.count <= 2, "\(file.name) has the text more than once: \(text)")
                        guard parts.count > 1 else { return file }
                        places += 1
                        var file = file
                        file.contents = parts.joined(separator: replacement)
                        return file
                    }
                    try #require(places > 0, "The SQL has no such text: \(text)")
                    return files
                }
            }

            private static func policy(_ name: String, for command: String) -> String {
                "create policy \"entitysync: \(name)\" on \"public\".\"bookmarks\" for \(command) to authenticated\n      "
            }
            private static let isOwn = "(\"owner_id\" = (select auth.uid()))"

            /// Policies, row-level security and rights on tables.
            static let tables: [Mutant] = [
                Mutant(
                    policy("read", for: "select") + "using \(isOwn)",
                    becomes: policy("read", for: "select") + "using (true)",
                    .reads,
                    says: "public.bookmarks"
                ),
                Mutant(
                    policy("add", for: "insert") + "with check \(isOwn)",
                    becomes: policy("add", for: "insert") + "with check (true)",
                    .forgedOwners,
                    says: "Allowed: "
                ),
                Mutant(
                    policy("change", for: "update") + "using \(isOwn)",
                    becomes: policy("change", for: "update") + "using (true)",
                    .writes,
                    says: "changed what is Ada's"
                ),
                Mutant(
                    policy("change", for: "update") + "using \(isOwn) with check \(isOwn)",
                    becomes: policy("change", for: "update") + "using \(isOwn) with check (true)",
                    .forgedOwners,
                    says: "update public.bookmarks set owner_id"
                ),
                Mutant(
                    policy("remove", for: "delete") + "using \(isOwn)",
                    becomes: policy("remove", for: "delete") + "using (true)",
                    .writes,
                    says: "changed what is Ada's"
                ),
                Mutant(
                    "alter table \"public\".\"bookmarks\" enable row level security;",
                    becomes: "",
                    .policies,
                    says: "bookmarks: row-level security is off"
                ),
                Mutant(
                    "if not place.is_secure then",
                    becomes: "if not place.is_secure and place.name <> 'purged' then",
                    .policies,
                    says: "entitysync.purged: row-level security is off"
                ),
                Mutant(
                    "create policy \"entitysync: service\" on \"public\".\"bookmarks\" for all to service_role",
                    becomes:
                        "create policy \"entitysync: service\" on \"public\".\"bookmarks\" for all to public",
                    .reads,
                    says: "public.bookmarks"
                ),
                Mutant(
                    "on \"public\".\"bookmarks\" to authenticated, service_role;",
                    becomes: "on \"public\".\"bookmarks\" to anon, authenticated, service_role;",
                    .privateTables,
                    says: "anon: Allowed: select * from public.bookmarks"
                ),
                Mutant(
                    "delete on all tables in schema entitysync to entitysync;",
                    becomes: "delete on all tables in schema entitysync to entitysync, authenticated;",
                    .privateTables,
                    says: "authenticated: Allowed: select * from entitysync.state"
                ),
                Mutant(
                    "delete on all tables in schema entitysync to entitysync;",
                    becomes: "delete on all tables in schema entitysync to entitysync, anon;",
                    .privateTables,
                    says: "anon SELECT entitysync.state: a right that nobody needs"
                ),
                Mutant(
                    "\"owner_id\" uuid not null default auth.uid(),\n  primary key (\"owner_id\", \"id\")\n);\n"
                        + "\n-- A row's key, and its value as devices write it.\n"
                        + "create or replace function entitysync.\"bookmark_key\"",
                    becomes:
                        "\"owner_id\" uuid not null,\n  primary key (\"owner_id\", \"id\")\n);\n"
                        + "\ncreate or replace function entitysync.\"bookmark_key\"",
                    .forgedOwners,
                    says: "Eve cannot add a row of her own"
                ),
            ]

            /// Rights on functions, and what functions look at.
            static let functions: [Mutant] = [
                Mutant(
                    "revoke all on all routines in schema entitysync from public, anon, authenticated, service_role, entitysync;",
                    becomes: "",
                    .functionRights,
                    says: "note_edit"
                ),
                Mutant(
                    "revoke all on function public.entitysync_exchange(json) from public, anon;",
                    becomes: "",
                    .functionRights,
                    says: "entitysync_exchange(json): everybody"
                ),
                Mutant(
                    "execute format('grant execute on function %s to entitysync', called);",
                    becomes:
                        "execute format('grant execute on function %s to entitysync, authenticated', called);",
                    .functionRights,
                    says: "entitysync.store"
                ),
                Mutant(
                    "out has_purged boolean\n)\nlanguage plpgsql\nset search_path = pg_catalog, pg_temp",
                    becomes: "out has_purged boolean\n)\nlanguage plpgsql",
                    .searchPaths,
                    says: "enter"
                ),
                Mutant(
                    "returns table (id uuid, revision text, entry text, place bigint)\nlanguage plpgsql stable\n",
                    becomes:
                        "returns table (id uuid, revision text, entry text, place bigint)\nlanguage plpgsql stable security definer\n",
                    .definers,
                    says: "entries: has its owner's rights"
                ),
                Mutant(
                    "alter function entitysync.exchange(uuid, json) owner to entitysync;",
                    becomes: "",
                    .definers,
                    says: "exchange: belongs to"
                ),
            ]

            @Test(arguments: tables + functions)
            func aMissingProtectionIsReported(mutant: Mutant) async throws {
                try await SupabaseProject.run(sql: mutant.sql()) { project in
                    let findings = try await mutant.check.findings(SecurityProbe(project))
                    #expect(findings.contains { $0.contains(mutant.finding) }, "\(mutant.check): \(findings)")
                }
            }
        }
    }
#endif
