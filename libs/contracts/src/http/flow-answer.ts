import { anyObject, closed, flag, listOf, orNull, text, uuid, whole } from './answer-schema';

const shownEverywhere = {
  id: uuid,
  name: text,
  description: orNull(text),
  endpoint_name: orNull(text),
  is_component: flag,
  access_type: {},
  mcp_enabled: flag,
  action_name: {},
  action_description: {},
};

const exportMembers = {
  ...shownEverywhere,
  data: orNull(anyObject),
  webhook: flag,
  icon: orNull(text),
  icon_bg_color: orNull(text),
  gradient: orNull(text),
  tags: orNull(listOf(text)),
  locked: flag,
  flow_type: {},
  a2a_enabled: {},
  a2a_card_overrides: {},
  updated_at: text,
  workspace_id: { type: 'null' },
  name_key: { type: 'null' },
};

const flowMembers = {
  ...exportMembers,
  user_id: uuid,
  folder_id: orNull(uuid),
  version: whole,
  settings: anyObject,
};

/** A flow as it is read. */
export const flowSchema = closed(flowMembers);

const flowReportMembers = {
  runnable: flag,
  verdict: { enum: ['runnable', 'approximated', 'needs_credentials', 'refused'] },
  vertices: listOf(
    closed({
      id: text,
      type: text,
      status: {
        enum: [
          'native',
          'upgraded',
          'approximated',
          'needs_credentials',
          'edited_code',
          'custom_code',
          'unsupported',
        ],
      },
      reason: orNull(text),
      acceptable: flag,
    }),
  ),
  problems: listOf(
    closed({
      code: text,
      blocks: flag,
      vertex_id: orNull(text),
      component_type: orNull(text),
      message: text,
    }),
  ),
};

/** How a flow runs, and what of it cannot. */
export const flowReportSchema = closed(flowReportMembers);

/** A flow as it is given back when it was filed: `report` says how it runs, and what of it cannot. */
export const filedFlowSchema = closed({ ...flowMembers, report: flowReportSchema });

/** How flows would run that were not filed, in the order of the request. */
export const checkedFlowsSchema = listOf(closed({ name: text, ...flowReportMembers }));

const flowHeaderSchema = closed({ ...shownEverywhere, folder_id: orNull(uuid), data: { type: 'null' } });
const listedFlows = listOf({ anyOf: [flowSchema, flowHeaderSchema] });

/** All flows, or with `get_all=false` one page of them. */
export const flowsAnswerSchema = {
  anyOf: [listedFlows, closed({ items: listedFlows, total: whole, page: whole, size: whole, pages: whole })],
};

export const exportedFlowSchema = closed(exportMembers);
