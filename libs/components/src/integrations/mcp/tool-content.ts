import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { isDict } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonObject, PythonValue } from '@millrace/python-text';

/** Returns the text of a tool's result for a model: its texts, and other content as JSON. */
export function contentText({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map((item) => (item.type === 'text' ? item.text : JSON.stringify(item))).join('\n');
}

/** Returns the rows of a tool's result: one for each item; an item that is a JSON object becomes the row itself. */
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
