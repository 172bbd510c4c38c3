/**
 * Returns the SQL of a member of a flow's settings; null when the flow does not have it. Most flows do not: looking for the name
 * costs a tenth of reading the JSON, which would take a fifth of the statement that claims or ends many runs. Names are
 * stored without escapes.
 */
export function flowSetting(name: string): string {
  return `CASE WHEN position('"${name}"' IN flows.settings::text) > 0
    THEN readable_json(flows.settings::text) -> '${name}' END`;
}
