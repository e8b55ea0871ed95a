#if Server
    import PostgRESTDouble
    import SyncChecks
    import SyncCore

    /// What the catalogue says, and calls of every function.
    extension SecurityProbe {
        /// All functions that the SQL makes.
        private static let own =
            "(p.pronamespace = 'entitysync'::regnamespace or p.proname like 'entitysync%')"

        /// The names that a query finds, as findings.
        private func named(_ what: String, _ query: String) async throws -> [String] {
            try await project.admin.run(query).map {
                "\($0.compactMap { $0 }.joined(separator: " ")): \(what)"
            }
        }

        /// Functions that find names in schemas that the caller chooses. Those with RETURN find them when they are made; with
        /// the owner's rights, what they call would still be on the caller's search path. A procedure that commits can have
        /// none of its own.
        func searchPaths() async throws -> [String] {
            try await named(
                "the search path is the caller's",
                """
                select p.oid::regprocedure from pg_proc as p
                where \(Self.own) and p.prokind <> 'p' and not exists (
                    select from unnest(p.proconfig) as c
                    where c in ('search_path=pg_catalog, pg_temp', 'search_path=pg_catalog, public, extensions, pg_temp')
                  )
                  and (p.prosqlbody is null or p.prosecdef)
                """
            )
        }

        /// Functions that are called and run with the rights of somebody else, but for the exchange, whose owner is subject
        /// to the policies, and what it folds the log and adopts rows by, which gives nothing back.
        func definers() async throws -> [String] {
            let definers = try await project.admin.run(
                """
                select p.proname, p.proowner::regrole, r.rolbypassrls or r.rolsuper or exists (
                    select from pg_class as c where c.relowner = r.oid
                  )
                from pg_proc as p join pg_roles as r on r.oid = p.proowner
                where \(Self.own) and p.prosecdef and p.prorettype <> 'trigger'::regtype
                  and p.proname not in ('fold_piece', 'adopt_piece')
                """
            )
            var findings = definers.contains { $0[0] == "exchange" } ? [] : ["The exchange is not found."]
            for definer in definers {
                let (name, owner) = (definer[0] ?? "", definer[1] ?? "")
                if name != "exchange" {
                    findings.append("\(name): has its owner's rights")
                } else if owner != "entitysync" || definer[2] != "f" {
                    findings.append("\(name): belongs to \(owner), whom policies do not hold back")
                }
            }
            return findings
        }

        /// Tables without protection, and policies that are slow or let everybody pass.
        func policies() async throws -> [String] {
            let policies = try await project.admin.run(
                """
                select tablename, policyname, coalesce(qual, ''), coalesce(with_check, ''), cmd
                from pg_policies where roles <> '{service_role}' and roles <> '{entitysync}'
                """
            )
            var findings = policies.count >= 16 ? [] : ["only \(policies.count) policies are found"]
            for policy in policies {
                let name = "\(policy[0] ?? "") \(policy[1] ?? "")"
                let needed = policy[4] == "UPDATE" ? [2, 3] : policy[4] == "INSERT" ? [3] : [2]
                for index in needed where policy[index]?.contains("( SELECT ") != true {
                    findings.append("\(name): does not ask for the user once per query")
                }
            }
            return try await findings
                + named(
                    "row-level security is off",
                    """
                    select c.oid::regclass from pg_class as c
                    where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'entitysync'::regnamespace)
                      and not c.relrowsecurity
                    """
                )
        }

        /// Rights on tables that nobody needs.
        func tableRights() async throws -> [String] {
            try await named(
                "a right that nobody needs",
                """
                select grantee, privilege_type, table_schema || '.' || table_name
                from information_schema.role_table_grants
                where grantee in ('anon', 'authenticated', 'service_role', 'PUBLIC')
                  and (table_schema = 'entitysync' or table_schema = 'public' and grantee in ('anon', 'PUBLIC'))
                """
            )
        }

        /// Functions that more roles may call than need to.
        func functionRights() async throws -> [String] {
            return try await named(
                "everybody may call it",
                """
                select p.oid::regprocedure from pg_proc as p
                where \(Self.own) and (
                  has_function_privilege('anon', p.oid, 'execute')
                  or has_function_privilege('service_role', p.oid, 'execute')
                )
                """
            )
                + named(
                    "users may call more than the exchange",
                    """
                    select p.oid::regprocedure from pg_proc as p
                    where \(Self.own) and has_function_privilege('authenticated', p.oid, 'execute')
                      and p.proname not in ('entitysync_exchange', 'exchange', 'my_space')
                    """
                )
        }

        /// Calls each function with Ada's space, entity, key, device and id wherever the types allow it.
        func directCalls(role: String = "authenticated") async throws -> [String] {
            let before = try await adas()
            let session = try await project.session(.eve, role: role)
            let epoch = try await project.admin.value(
                "select epoch from entitysync.space where id = $1",
                User.ada.id
            )
            let secrets = [
                Self.secret, Self.fingerprint, epoch ?? "?", version["revision"]?.text ?? "?", phone.id,
            ]
            var (called, findings) = (0, [String]())
            for function in try await functions() {
                let arguments = function.types.map { argument(type: $0) }
                let call = "select (\(function.name)(\(arguments.joined(separator: ","))))::text"
                let rows = (try? await session.run(call)) ?? []
                if !rows.isEmpty { called += 1 }
                let text = rows.flatMap { $0 }.compactMap { $0 }.joined(separator: " ")
                let given = arguments.joined()
                for secret in secrets where text.contains(secret) && !given.contains(secret) {
                    findings.append("\(function.name) as \(role) tells '\(secret)'")
                }
            }
            if try await adas() != before { findings.append("a call as \(role) changed what is Ada's") }
            let isPlausible = called == (role == "authenticated" ? 2 : 0)
            return isPlausible ? findings : findings + ["\(called) functions answered \(role)"]
        }

        private struct Function {
            var name: String
            var types: [String]
        }

        private func functions() async throws -> [Function] {
            try await project.admin.run(
                """
                select p.oid::regproc, array_to_string(array(
                  select format_type(t, null) from unnest(p.proargtypes) with ordinality as a (t, place) order by place
                ), '|')
                from pg_proc as p where \(Self.own) and p.prorettype <> 'trigger'::regtype order by 1
                """
            ).map { row in
                Function(name: row[0] ?? "", types: (row[1] ?? "").split(separator: "|").map(String.init))
            }
        }

        /// A value of a type that reaches for Ada's record, as SQL.
        private func argument(type: String) -> String {
            let (device, key) = (phone.id, Body.key(1))
            let id = "entitysync.record_id('\(User.ada.id)', 'bookmark', '\(key)')"
            let mark = "1767225600000001.\(device).9"
            let body = Body.bookmark(1, notes: "stolen")
            let change =
                "row(1, \(id), 'bookmark', '\(key)', '\(mark)', '\(mark)', '\(device):9', "
                + "'\(version["revision"]?.text ?? "")', false, null, null, "
                + "'\(body)', true, false, '\(body)')::entitysync.change"
            let state =
                "row(\(id), '\(User.ada.id)', 'bookmark', '\(key)', '3', 1, 'r', false, '\(mark)', '\(mark)', "
                + "'\(device):9', null, null, null, now())::entitysync.state"
            switch type {
            case "uuid": return "'\(User.ada.id)'::uuid"
            case "uuid[]": return "array[\(id)]"
            case "entitysync.change[]": return "array[\(change)]"
            case "entitysync.state[]": return "array[\(state)]"
            case "text": return "'\(device)'"
            case "text[]": return "array['bookmark']"
            case "json": return #"'{"device":"\#(device)","entities":["bookmark"]}'::json"#
            case "jsonb": return "'{}'::jsonb"
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
#endif
