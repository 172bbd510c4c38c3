import {
  anyObject,
  closedObject,
  flag,
  listOf,
  orNull,
  text,
  uuid,
  integer,
  namedObject,
} from '@millrace/messages';

const commonMembers = {
  id: uuid,
  name: text,
  description: orNull(text),
  endpoint_name: orNull(text),
  is_component: flag,
  mcp_enabled: flag,
  action_name: {},
  action_description: {},
};

const exportMembers = {
  ...commonMembers,
  data: orNull(anyObject),
  webhook: flag,
  icon: orNull(text),
  icon_bg_color: orNull(text),
  tags: orNull(listOf(text)),
  locked: flag,
  flow_type: {},
  a2a_enabled: {},
  a2a_card_overrides: {},
  workspace_id: { type: 'null' },
  name_key: { type: 'null' },
  /** Absent with the answers of Langflow 1.11. */
  version_token: uuid,
};

const flowMembers = {
  ...exportMembers,
  access_type: {},
  gradient: orNull(text),
  updated_at: text,
  user_id: uuid,
  folder_id: orNull(uuid),
  version: integer,
  settings: anyObject,
};
const optionalMembers = ['version_token'];

/** A flow in a response. */
export const flowSchema = namedObject(
  'Flow',
  {
    ...flowMembers,
    /** Names of the users in `settings.answeredBy`, where one flow is read. */
    answered_by: listOf(text),
  },
  [...optionalMembers, 'answered_by'],
);

const flowReportMembers = {
  runnable: flag,
  verdict: {
    enum: [
      'runnable',
      'approximated',
      'needs_credentials',
      'needs_approval',
      'needs_package',
      'needs_python',
      'refused',
    ],
  },
  vertices: listOf(
    closedObject({
      id: text,
      type: text,
      status: {
        enum: [
          'native',
          'upgraded',
          'approximated',
          'python',
          'needs_credentials',
          'needs_approval',
          'needs_package',
          'needs_python',
          'refused',
        ],
      },
      reason: orNull(text),
      acceptable: flag,
      sha256: orNull(text),
    }),
  ),
  problems: listOf(
    closedObject({
      code: text,
      blocks: flag,
      vertex_id: orNull(text),
      component_type: orNull(text),
      message: text,
    }),
  ),
};

/** How a flow runs, and which parts of it cannot run. */
export const flowReportSchema = namedObject('FlowReport', flowReportMembers);

/**
 * A flow in the response to its creation or update: `report` contains how it runs, and which parts of it cannot run.
 */
export const storedFlowSchema = namedObject(
  'StoredFlow',
  { ...flowMembers, report: flowReportSchema },
  optionalMembers,
);

/** Reports of flows that were checked but not stored, in the order of the request. */
export const checkedFlowsSchema = listOf(closedObject({ name: text, ...flowReportMembers }));

const flowHeaderSchema = namedObject('FlowHeader', {
  ...commonMembers,
  access_type: {},
  folder_id: orNull(uuid),
  data: { type: 'null' },
  tags: exportMembers.tags,
  flow_type: {},
  a2a_enabled: {},
  a2a_card_overrides: {},
  updated_at: text,
});
const listedFlows = listOf({ anyOf: [flowSchema, flowHeaderSchema] });

/** All flows, or with `get_all=false` one page of those of a project. */
export const flowsAnswerSchema = {
  anyOf: [
    listedFlows,
    closedObject({ items: listedFlows, total: integer, page: integer, size: integer, pages: integer }),
  ],
};

export const exportedFlowSchema = namedObject('ExportedFlow', exportMembers, optionalMembers);

export const flowDeletedSchema = closedObject({ message: text });
export const flowsDeletedSchema = closedObject({ deleted: integer });
