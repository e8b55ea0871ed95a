-- EntitySync: what Supabase already has. Only for a PostgreSQL of your own.
--
-- Apply once per database, before the other files. Applying it again changes nothing.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'anon') then
    create role anon nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticated') then
    create role authenticated nologin;
  end if;
  -- For programs that act for everyone, such as edge functions. Policies of the tables let it pass: only a superuser
  -- could give it the right to bypass them.
  if not exists (select from pg_catalog.pg_roles where rolname = 'service_role') then
    create role service_role nologin;
  end if;
  -- The role that PostgREST or syncserver logs in as. It has no password yet: set one, or use a certificate.
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit;
  end if;
end
$$;

-- Who applies this file may act as a user, too, as syncserver does.
do $$
declare
  acted text;
begin
  foreach acted in array array['anon', 'authenticated', 'service_role'] loop
    if not pg_has_role('authenticator', acted, 'member') then
      execute format('grant %I to authenticator', acted);
    end if;
  end loop;
  if not pg_has_role(current_user, 'authenticated', 'member') then
    execute format('grant authenticated to %I', current_user);
  end if;
end
$$;

create schema if not exists auth;

-- The user of a request: the claim `sub` of the JWT, as PostgREST passes it on.
create or replace function auth.uid() returns uuid
language sql stable
set search_path = ''
as $$
  select nullif(
    coalesce(
      nullif(current_setting('request.jwt.claim.sub', true), ''),
      nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
    ),
    ''
  )::uuid
$$;

comment on function auth.uid() is 'EntitySync: the user of a request.';

grant usage on schema auth, public to anon, authenticated, service_role;
