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

/** A flow as it is given back when it was filed: `report` says what of it cannot run. */
export const filedFlowSchema = closed({
  ...flowMembers,
  report: closed({
    runnable: flag,
    problems: listOf(
      closed({
        code: text,
        blocks: flag,
        vertex_id: orNull(text),
        component_type: orNull(text),
        message: text,
      }),
    ),
  }),
});

const flowHeaderSchema = closed({ ...shownEverywhere, folder_id: orNull(uuid), data: { type: 'null' } });
const listedFlows = listOf({ anyOf: [flowSchema, flowHeaderSchema] });

/** All flows, or with `get_all=false` one page of them. */
export const flowsAnswerSchema = {
  anyOf: [listedFlows, closed({ items: listedFlows, total: whole, page: whole, size: whole, pages: whole })],
};

export const exportedFlowSchema = closed(exportMembers);
