-- The audit log: who changed what. Each entry contains the hash of the entry before it; docs/audit.md says what this
-- chain proves, and how the hash is computed.

CREATE TABLE audit_entries (
  -- Without gaps, in the order of the chain.
  position bigint PRIMARY KEY,
  -- The time of the database, which does not decrease from entry to entry.
  at timestamptz NOT NULL,
  action text NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('key', 'system', 'unknown')),
  -- No foreign keys: entries outlive users and keys.
  user_id uuid,
  key_id uuid,
  request_id text,
  client_address text,
  forwarded_for text,
  object_id text,
  object_name text,
  -- JSON text, byte for byte as it was hashed.
  detail text NOT NULL,
  previous_hash text NOT NULL,
  hash text NOT NULL
);

CREATE INDEX audit_entries_at ON audit_entries (at);
CREATE INDEX audit_entries_by_user ON audit_entries (user_id, position);
CREATE INDEX audit_entries_by_object ON audit_entries (object_id, position);
CREATE INDEX audit_entries_by_action ON audit_entries (action, position);

-- One row: the last entry, and the last entry that was deleted because of its age. Writers of entries lock it, so that
-- entries are chained one after the other.
CREATE TABLE audit_chain (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  head_position bigint NOT NULL,
  head_hash text NOT NULL,
  head_at timestamptz,
  pruned_position bigint NOT NULL,
  pruned_hash text NOT NULL,
  pruned_at timestamptz
);

INSERT INTO audit_chain (head_position, head_hash, pruned_position, pruned_hash)
VALUES (0, repeat('0', 64), 0, repeat('0', 64));

-- A value with its length in bytes, so that two lists of values never have the same text.
CREATE FUNCTION audit_field(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN value IS NULL THEN '-,' ELSE octet_length(convert_to(value, 'UTF8')) || ':' || value || ',' END
$$;

CREATE FUNCTION audit_append() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  chain audit_chain;
BEGIN
  SELECT * INTO STRICT chain FROM audit_chain FOR UPDATE;
  NEW.position := chain.head_position + 1;
  NEW.at := greatest(clock_timestamp(), chain.head_at);
  NEW.previous_hash := chain.head_hash;
  NEW.hash := encode(sha256(convert_to(
    audit_field(NEW.previous_hash) || audit_field(NEW.position::text)
      || audit_field(to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
      || audit_field(NEW.action) || audit_field(NEW.actor_kind)
      || audit_field(NEW.user_id::text) || audit_field(NEW.key_id::text)
      || audit_field(NEW.request_id) || audit_field(NEW.client_address) || audit_field(NEW.forwarded_for)
      || audit_field(NEW.object_id) || audit_field(NEW.object_name) || audit_field(NEW.detail),
    'UTF8')), 'hex');
  UPDATE audit_chain SET head_position = NEW.position, head_hash = NEW.hash, head_at = NEW.at;
  RETURN NEW;
END
$$;

-- Entries never change. They are deleted oldest first, once the chain's row names the last of them.
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME = 'audit_entries' THEN
    IF OLD.position <= (SELECT pruned_position FROM audit_chain) THEN RETURN OLD; END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE FUNCTION audit_guard_chain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.pruned_position = OLD.pruned_position AND NEW.pruned_hash = OLD.pruned_hash
    AND NEW.head_position = OLD.head_position + 1 THEN RETURN NEW; END IF;
  IF NEW.head_position = OLD.head_position AND NEW.head_hash = OLD.head_hash
    AND NEW.pruned_position > OLD.pruned_position
    AND NEW.pruned_hash = (SELECT hash FROM audit_entries WHERE position = NEW.pruned_position)
    THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_append BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION audit_append();
CREATE TRIGGER audit_refuse BEFORE UPDATE OR DELETE ON audit_entries FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_refuse_all BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_guard BEFORE UPDATE ON audit_chain FOR EACH ROW EXECUTE FUNCTION audit_guard_chain();
CREATE TRIGGER audit_keep BEFORE DELETE ON audit_chain FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_keep_all BEFORE TRUNCATE ON audit_chain FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();
