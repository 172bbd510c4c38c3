/**
 * The members of an export that this release knows, by their place. A value under another name was saved by a newer
 * release, and can change what a run may do: the flow's report names it. `millrace code members` compares the lists
 * with an installed Langflow.
 */
const members = {
  /** Of `data`. */
  graph: 'nodes edges viewport edited_code',
  /** Of the `data` of a node. */
  nodeData:
    'id node type showNode display_name description selected_output selected_output_type _connectionMode edited ' +
    'value buildStatus',
  node:
    'add_tool_output base_classes beta category conditional_paths custom_fields description display_name ' +
    'documentation edited error field_formatters field_order flow frozen full_path hidden icon input_types ' +
    'i18n_key is_composition is_input is_output key last_updated legacy lf_version license mcpServerName metadata minimized ' +
    'name node_version official output_types outputs pinned priority replacement score template tool_mode type',
  field:
    '_connection_mode _input_type advanced ai_enabled api_editable auth_profile_id auth_tooltip button_icon ' +
    'button_metadata button_text capabilities combobox conditional_options conditional_scopes connection_link ' +
    'copy_field dialog_inputs display_name dynamic external_options field_type fileTypes file_path file_types filters ' +
    'helper_text helper_text_metadata icon id identity_kind info input_types is_list limit list list_add_label ' +
    'load_from_db max_label max_label_icon max_tokens min_label min_label_icon model_name model_options model_type ' +
    'multiline name options options_metadata override_skip ownership_mode password placeholder provider proxy ' +
    'rangeSpec range_spec real_time_refresh refresh_button refresh_button_text required required_scopes ' +
    'search_category selected_metadata separator show slider_buttons slider_buttons_options slider_color slider_input ' +
    'table_icon table_options table_schema temp_file temperature text title_case toggle toggle_disable toggle_value ' +
    'tool_mode tooltips trace_as_input trace_as_metadata track_in_telemetry trigger_icon trigger_text type value ' +
    'value_inverted',
  output:
    'allows_loop cache display_name filter group_outputs hidden loop_types method name options proxy required_inputs ' +
    'selected tool_mode types value',
  /** Of a row in a node's table of tools. */
  toolRow:
    'name description tags status args display_name display_description readonly commands approval_actions _uniqueId',
} as const;

/** A place in an export whose members have a list. */
export type ExportPlace = keyof typeof members;

export const knownMembers: Readonly<Record<ExportPlace, ReadonlySet<string>>> = {
  graph: new Set(members.graph.split(' ')),
  nodeData: new Set(members.nodeData.split(' ')),
  node: new Set(members.node.split(' ')),
  field: new Set(members.field.split(' ')),
  output: new Set(members.output.split(' ')),
  toolRow: new Set(members.toolRow.split(' ')),
};

/** Returns the names of the members with a value that this release does not know. */
export function unknownMembers(
  place: ExportPlace,
  object: Readonly<Record<string, unknown>>,
): readonly string[] {
  const known = knownMembers[place];
  return Object.keys(object).filter((name) => !known.has(name) && isSet(object[name]));
}

/** Null, false, and empty texts, lists and objects are what an export saves for a setting that is not used. */
export function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
