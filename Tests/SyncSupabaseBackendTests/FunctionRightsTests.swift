#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore
    import Testing

    extension SupabaseTests {
        /// What the SQL's functions may do, read from the catalogue and by calling each of them.
        @Suite struct FunctionRights {
            /// All functions that the SQL makes.
            private static let own =
                "(p.pronamespace = 'entitysync'::regnamespace or p.proname like 'entitysync%')"

            @Test func everyFunctionHasAnEmptySearchPath() async throws {
                try await SupabaseProject.run { project in
                    let open = try await project.admin.run(
                        """
                        select p.oid::regprocedure from pg_proc as p
                        where \(Self.own) and not coalesce(p.proconfig @> array['search_path=""'], false)
                        """
                    )
                    #expect(open.isEmpty)
                    let all = try await project.admin.value(
                        "select count(*) from pg_proc as p where \(Self.own)"
                    )
                    #expect(Int(all ?? "") ?? 0 > 60)
                }
            }

            @Test func noFunctionWithTheOwnersRightsTakesAnAccount() async throws {
                try await SupabaseProject.run { project in
                    let definers = try await project.admin.run(
                        """
                        select p.proname, pg_get_function_arguments(p.oid), p.prorettype = 'trigger'::regtype,
                          has_function_privilege('authenticated', p.oid, 'execute'), p.prosrc
                        from pg_proc as p where \(Self.own) and p.prosecdef
                        """
                    )
                    #expect(definers.count > 6)
                    for definer in definers {
                        let name = definer[0] ?? ""
                        #expect(definer[1]?.contains("space") == false, "\(name)")
                        #expect(definer[1]?.contains("account") == false, "\(name)")
                        #expect(definer[1]?.contains("owner") == false, "\(name)")
                        guard definer[2] == "f" else { continue }
                        #expect(definer[4]?.contains("entitysync.my_space()") == true, "\(name)")
                    }
                }
            }

            @Test func policiesAskForTheUserOncePerQuery() async throws {
                try await SupabaseProject.run { project in
                    let policies = try await project.admin.run(
                        "select tablename, policyname, coalesce(qual, '') || coalesce(with_check, '') from pg_policies where roles <> '{service_role}'"
                    )
                    #expect(policies.count >= 16)
                    for policy in policies {
                        #expect(policy[2]?.contains("( SELECT ") == true, "\(policy)")
                    }
                    let unprotected = try await project.admin.run(
                        """
                        select c.oid::regclass from pg_class as c
                        where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'entitysync'::regnamespace)
                          and not c.relrowsecurity
                        """
                    )
                    #expect(unprotected.isEmpty)
                }
            }

            @Test func noFunctionIsOpenToEverybody() async throws {
                try await SupabaseProject.run { project in
                    let open = try await project.admin.run(
                        """
                        select p.oid::regprocedure from pg_proc as p
                        where \(Self.own) and (
                          has_function_privilege('anon', p.oid, 'execute')
                          or has_function_privilege('service_role', p.oid, 'execute')
                        )
                        """
                    )
                    #expect(open.isEmpty, "\(open)")
                }
            }

            /// Calls each function with Ada's space, entity, key, device and id wherever the types allow it.
            @Test(arguments: ["authenticated", "anon", "service_role"])
            func aDirectCallOfAnyFunctionGivesNothingOfAnother(role: String) async throws {
                try await SupabaseProject.run { project in
                    let phone = try await WireDevice(project, number: 1)
                    let secret = "only for Ada"
                    _ = try await phone.push(
                        phone.change("bookmark", key: Body.key(1), body: Body.bookmark(1, notes: secret))
                    )
                    let version = try await WireDevice(project, number: 9).pullOne()
                    let state =
                        "select to_jsonb(s)::text from entitysync.state as s where space = '\(User.ada.id)' order by id"
                    let before = try await project.admin.run(state)
                    let devices =
                        "select to_jsonb(d)::text from entitysync.device as d where space = '\(User.ada.id)' order by device"
                    let devicesBefore = try await project.admin.run(devices)
                    let session = try await project.session(.eve, role: role)
                    var called = 0
                    for function in try await Self.functions(of: project) {
                        let arguments = function.types.map {
                            Self.argument(type: $0, version: version, device: phone.id)
                        }
                        let call = "select (\(function.name)(\(arguments.joined(separator: ","))))::text"
                        let rows = (try? await session.run(call)) ?? []
                        if !rows.isEmpty { called += 1 }
                        let text = rows.flatMap { $0 }.compactMap { $0 }.joined(separator: " ")
                        #expect(!text.contains(secret), "\(call)")
                        let revision = version["revision"]?.text ?? "?"
                        #expect(!text.contains(revision) || arguments.joined().contains(revision), "\(call)")
                        #expect(!text.contains(phone.id) || arguments.joined().contains(phone.id), "\(call)")
                    }
                    #expect(try await project.admin.run(state) == before)
                    #expect(try await project.admin.run(devices) == devicesBefore)
                    #expect(role == "authenticated" ? called > 15 : called == 0, "\(called)")
                }
            }

            private struct Function {
                var name: String
                var types: [String]
            }

            private static func functions(of project: SupabaseProject) async throws -> [Function] {
                try await project.admin.run(
                    """
                    select p.oid::regproc, array_to_string(array(
                      select format_type(t, null) from unnest(p.proargtypes) with ordinality as a (t, place) order by place
                    ), '|')
                    from pg_proc as p where \(own) and p.prorettype <> 'trigger'::regtype order by 1
                    """
                ).map { row in
                    Function(
                        name: row[0] ?? "",
                        types: (row[1] ?? "").split(separator: "|").map(String.init)
                    )
                }
            }

            /// A value of a type that reaches for Ada's record, as SQL.
            private static func argument(type: String, version: JSONTree, device: String) -> String {
                let id = "entitysync.record_id('\(User.ada.id)', 'bookmark', '\(Body.key(1))')"
                let revision = version["revision"]?.text ?? ""
                let change =
                    "row(1, \(id), 'bookmark', '\(Body.key(1))', '1767225600000001.\(device).9', "
                    + "'1767225600000001.\(device).9', '\(device):9', '\(revision)', false, null, null, "
                    + "'\(Body.bookmark(1, notes: "stolen"))', true, false)::entitysync.change"
                switch type {
                case "uuid": return "'\(User.ada.id)'::uuid"
                case "uuid[]": return "array[\(id)]"
                case "entitysync.change[]": return "array[\(change)]"
                case "text": return "'\(device)'"
                case "text[]": return "array['bookmark']"
                case "json", "jsonb": return "'{}'::\(type)"
                case "pg_snapshot": return "'1:99999999999:'::pg_snapshot"
                case "pg_snapshot[]": return "array[null::pg_snapshot]"
                case "xid8": return "'0'::xid8"
                case "bigint", "integer": return "1::\(type)"
                case "boolean": return "true"
                case "timestamp with time zone": return "now()"
                default: return "null::\(type)"
                }
            }
        }
    }
#endif
