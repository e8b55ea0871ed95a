-- EntitySync: what Supabase already has. Only for a PostgreSQL of your own.
--
-- Apply once per database, before the other files. Applying it again changes nothing.

-- `service_role` is for programs that act for everyone, such as edge functions. Policies of the tables let it pass: only
-- a superuser could give it the right to bypass them. PostgREST or syncserver logs in as `authenticator`. It has no
-- password yet: set one, or use a certificate.
do $$
declare
  made record;
begin
  for made in
    select r.name, r.options
    from (
      values ('anon', 'nologin'), ('authenticated', 'nologin'), ('service_role', 'nologin'), ('entitysync', 'nologin'),
        ('authenticator', 'login noinherit')
    ) as r (name, options)
    where not exists (select from pg_catalog.pg_roles as p where p.rolname = r.name)
  loop
    begin
      execute format('create role %I %s', made.name, made.options);
    exception
      -- Another database of this server was faster: all of them share the roles.
      when duplicate_object or unique_violation then null;
    end;
  end loop;
end
$$;

-- Who applies this file may act as a user, too, as syncserver does.
do $$
declare
  needed record;
begin
  for needed in
    select g.role, g.member
    from (
      values ('authenticated', 'entitysync'), ('anon', 'authenticator'), ('authenticated', 'authenticator'),
        ('service_role', 'authenticator'),
        ('authenticated', current_user::text)
    ) as g (role, member)
    where not pg_has_role(g.member, g.role, 'member')
  loop
    begin
      execute format('grant %I to %I', needed.role, needed.member);
    exception
      when unique_violation then null;
    end;
  end loop;
end
$$;

create schema if not exists auth;

-- The user of a request: the claim `sub` of the JWT, as PostgREST passes it on.
create or replace function auth.uid() returns uuid
language sql stable
return
  nullif(
    coalesce(
      nullif(current_setting('request.jwt.claim.sub', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
    ),
    ''
  )::uuid;

comment on function auth.uid() is 'EntitySync: the user of a request.';

grant usage on schema auth, public to anon, authenticated, service_role;
