import { firstMessageOf } from '@millrace/flow';
import type { RunResponse } from '@millrace/flow';
import { jsonDumpsCompactAscii } from '@millrace/python-text';
import { isRecord } from '../../http/bodies/parse-json';
import { toolErrorText } from './tool-call-events';

/** Returns the tool calls of a whole response, which stand before its message; with their results where the caller asks. */
export function toolCallItems(run: RunResponse, showsResults: boolean): readonly object[] {
  const message = firstMessageOf(run);
  const blocks = isRecord(message) ? membersOf(message['content_blocks']) : [];
  const steps = blocks.flatMap((block) => membersOf(block['contents'])).filter(isToolStep);
  return steps.map(({ name: given, tool_input: input, output = null, error = null }, index) => {
    const failed = output === null && error !== null;
    const outcome = {
      status: failed ? 'failed' : 'completed',
      ...(failed ? { error: toolErrorText(error) } : {}),
    };
    const number = index + 1;
    // As Python writes a missing name. Clients of OpenAI's protocol expect a text.
    const name = String(given ?? 'None');
    if (!showsResults)
      return {
        id: `fc_${number}`,
        type: 'function_call',
        name,
        arguments: jsonDumpsCompactAscii(input ?? {}),
        ...outcome,
      };
    return {
      id: `${name}_${number}`,
      type: 'tool_call',
      queries: isRecord(input) ? Object.values(input) : [String(input)],
      tool_name: name,
      results: output ?? [],
      ...outcome,
    };
  });
}

function membersOf(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

const isToolStep = ({ type }: Readonly<Record<string, unknown>>): boolean => type === 'tool_use';
