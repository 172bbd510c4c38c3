-- Identifies the state of a flow that a client has read: every change of the flow gives it another token. A change that
-- names an older one is refused, so that two editors do not overwrite each other. Documents are in flow_versions, so
-- this writes small rows only.
ALTER TABLE flows ADD COLUMN version_token uuid NOT NULL DEFAULT gen_random_uuid();
