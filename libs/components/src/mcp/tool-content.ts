import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { isDict, parsePythonJson } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';

/** What a model reads of a tool's answer: its texts, and anything else as JSON. */
export function contentText({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map((item) => (item.type === 'text' ? item.text : JSON.stringify(item))).join('\n');
}

/** The rows of a tool's answer: one for each item, an object in JSON standing for itself. */
export function contentRows({ content }: CallToolResult): readonly PythonObject[] {
  return content.map((item) => {
    const row = { annotations: null, meta: null, ...(item as unknown as PythonObject) };
    if (item.type !== 'text') return row;
    const parsed = parsedText(item.text);
    if (parsed === undefined) return row;
    return isDict(parsed) ? parsed : { text: item.text, parsed_value: parsed, type: 'text' };
  });
}

function parsedText(text: string): PythonValue | undefined {
  try {
    return parsePythonJson(text);
  } catch {
    return undefined;
  }
}
