import type { PlanField } from './plan-field';
import type { FlowNode } from './flow-document';
import type { JsonObject } from './json-object';
import { isSet, unknownMembers } from './known-members';
import { isJsonObject, listMember, member, objectMember, textListMember, textMember } from './json-object';
import { readCode } from './read-code';
import { readField } from './read-field';

/** Reads one node of a flow file. */
export function readNode(node: JsonObject): FlowNode {
  const id = textMember(node, 'id');
  const data = objectMember(node, 'data');
  const body = objectMember(data, 'node');
  const template = objectMember(body, 'template');
  const type = textMember(data, 'type') || idPrefix(id);
  return {
    id,
    type,
    displayName: textMember(body, 'display_name') || type,
    icon: textMember(body, 'icon') || null,
    declaresInput: member(body, 'is_input') === true,
    declaresOutput: member(body, 'is_output') === true,
    toolMode: member(body, 'tool_mode') === true,
    frozen: member(body, 'frozen') === true,
    hasTemplate: isJsonObject(member(body, 'template')),
    fields: readFields(template),
    outputs: readOutputs(body),
    savedOutputs: readSavedOutputs(body),
    customFields: readCustomFields(body),
    code: readCode(body),
    unknownMembers: readUnknownMembers(data, body, template),
  };
}

/** Returns the part of an id before the first dash: "ChatInput" of "ChatInput-a1B2c". */
export function idPrefix(id: string): string {
  return id.split('-', 1)[0] ?? id;
}

function readFields(template: JsonObject): ReadonlyMap<string, PlanField> {
  const fields = new Map<string, PlanField>();
  for (const [name, entry] of Object.entries(template)) {
    // `_type`, `_frontend_node_flow_id` and the like are not fields.
    if (isJsonObject(entry) && !name.startsWith('_')) fields.set(name, readField(name, entry));
  }
  return fields;
}

function readUnknownMembers(data: JsonObject, body: JsonObject, template: JsonObject): readonly string[] {
  const names = [...unknownMembers('nodeData', data), ...unknownMembers('node', body)];
  for (const [field, entry] of Object.entries(template)) {
    if (field.startsWith('_')) continue;
    // A value that stands in place of the object of a field is not read.
    if (!isJsonObject(entry) && isSet(entry)) names.push(`template.${field}`);
    if (!isJsonObject(entry)) continue;
    for (const name of unknownMembers('field', entry)) names.push(`template.${field}.${name}`);
  }
  for (const output of listMember(body, 'outputs')) {
    if (!isJsonObject(output)) continue;
    for (const name of unknownMembers('output', output))
      names.push(`outputs.${textMember(output, 'name')}.${name}`);
  }
  return names;
}

/** `custom_fields` lists, by field, the names of the fields that were generated from its text. */
function readCustomFields(body: JsonObject): ReadonlySet<string> {
  const custom = objectMember(body, 'custom_fields');
  return new Set(Object.keys(custom).flatMap((name) => textListMember(custom, name)));
}

function readSavedOutputs(body: JsonObject): readonly JsonObject[] {
  const saved = listMember(body, 'outputs').filter(isJsonObject);
  const named = saved.filter((output) => textMember(output, 'name') !== '');
  if (named.length > 0) return named;
  const types = textListMember(body, 'base_classes');
  return [{ name: 'output', display_name: 'Output', method: 'build', types, selected: types[0] ?? null }];
}

function readOutputs(body: JsonObject): readonly string[] {
  const names = listMember(body, 'outputs').map((output) =>
    isJsonObject(output) ? textMember(output, 'name') : '',
  );
  return [...new Set(names)].filter((name) => name !== '');
}
