import { createHash } from 'node:crypto';
import { flowData, node } from '@millrace/testing';

/** @import { FlowFile } from '../flows.mjs' */

/** How many vertices of each flow in Python have an effect. */
export const PYTHON_EFFECTS = 2;

/** The output of a vertex in Python, as the editor saves it. */
const RESULT = { name: 'result', method: 'post', types: ['Message'] };

/**
 * Returns the text of a component that posts to the sink, with the run and the vertex as its key. Its value is the body of
 * a webhook, or a message `<token>/<milliseconds>`, which it passes on.
 * @param {string} sinkUrl
 */
function textOf(sinkUrl) {
  return `import httpx
from lfx.custom import Component
from lfx.io import HandleInput, Output
from lfx.schema.data import Data
from lfx.schema.message import Message


class SinkCall(Component):
    inputs = [HandleInput(name="value", input_types=["Data", "Message"])]
    outputs = [Output(name="result", display_name="Result", method="post")]

    async def post(self) -> Message:
        value = self.value
        path = value.text if isinstance(value, Message) else f"{value.data['token']}/{value.data['milliseconds']}"
        headers = {"idempotency-key": f"{self.graph.run_id}:{self._id}"}
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.post(f"${sinkUrl}/effect/{path}", headers=headers)
            answer.raise_for_status()
        return Message(text=path)
`;
}

/**
 * Returns the flows with two vertices in Python, each with an effect: one for webhooks, one for callers; and the SHA-256 of
 * their text.
 * @param {string} sinkUrl
 * @returns {{ readonly webhook: FlowFile, readonly call: FlowFile, readonly sha256: string }}
 */
export function pythonFlows(sinkUrl) {
  const text = textOf(sinkUrl);
  const webhook = node('Webhook-in', { data: '' }, 'output_data');
  const chat = node('ChatInput-in', { input_value: '', should_store_message: true }, 'message');
  return {
    webhook: flowOf('chaos-python-webhook', webhook, 'Webhook-in.output_data', text),
    call: flowOf('chaos-python', chat, 'ChatInput-in.message', text),
    sha256: createHash('sha256').update(text).digest('hex'),
  };
}

/**
 * @param {string} name
 * @param {ReturnType<typeof node>} input
 * @param {string} output
 * @param {string} text
 * @returns {FlowFile}
 */
function flowOf(name, input, output, text) {
  const fields = { value: { type: 'other', value: '' }, code: { type: 'code', value: text } };
  const nodes = [
    input,
    node('SinkCall-first', fields, RESULT),
    node('SinkCall-second', fields, RESULT),
    node('ChatOutput-out', { input_value: '', should_store_message: true }, 'message'),
  ];
  const edges = [
    `${output} > SinkCall-first.value`,
    'SinkCall-first.result > SinkCall-second.value',
    'SinkCall-second.result > ChatOutput-out.input_value',
  ];
  return { name, endpoint_name: name, data: flowData(nodes, edges) };
}
