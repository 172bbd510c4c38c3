import { closedObject, flag, integer, listOf, orNull, text, uuid, namedObject } from '@millrace/messages';
import { flowReportSchema } from './flow-schemas';

const versionMembers = {
  id: uuid,
  version: integer,
  created_at: text,
  active: flag,
  restored_from: orNull(integer),
};

/** A page of versions; `next_cursor` is null on the last one. */
export const flowVersionListSchema = namedObject('FlowVersionList', {
  versions: listOf(closedObject(versionMembers)),
  next_cursor: orNull(text),
});

/** A version with its document, without the values of secret fields. */
export const flowVersionSchema = namedObject('FlowVersion', { ...versionMembers, data: {} });

/** The active version after an activation, and how it runs. */
export const activatedVersionSchema = namedObject('ActivatedVersion', {
  ...versionMembers,
  report: flowReportSchema,
});

const vertexMembers = { id: text, type: text, display_name: text };
const edgeSchema = namedObject('ChangedEdge', {
  source: text,
  output: orNull(text),
  target: text,
  input: orNull(text),
});
const fieldSchema = namedObject('ChangedField', {
  name: text,
  change: { enum: ['added', 'removed', 'changed'] },
  before: {},
  after: {},
  secret: flag,
  shortened: flag,
  members: listOf(text),
});

/** What differs between two versions. */
export const flowVersionDiffSchema = namedObject('FlowVersionDiff', {
  from: integer,
  to: integer,
  vertices: closedObject({
    added: listOf(closedObject(vertexMembers)),
    removed: listOf(closedObject(vertexMembers)),
    changed: listOf(closedObject({ ...vertexMembers, members: listOf(text), fields: listOf(fieldSchema) })),
  }),
  edges: closedObject({ added: listOf(edgeSchema), removed: listOf(edgeSchema) }),
});

/** The state of a flow that a change can name, and who made it. */
export const flowVersionStateSchema = namedObject('FlowVersionState', {
  version_token: uuid,
  last_modified_by: uuid,
  last_modified_by_username: orNull(text),
  updated_at: text,
});
