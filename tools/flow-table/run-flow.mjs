import { messageOf } from '../workspace/error-fields.mjs';
import { uploadReferencedFlows } from './referenced-flows.mjs';
import { completed } from './complete-flow.mjs';
import { mcpServersOf, tweaksFor, variablesOf } from './fill-in.mjs';
import { runIndexes } from './run-indexes.mjs';
import { comparableOutput } from './comparable-output.mjs';
import { unreachedPart } from './unreached-part.mjs';
import { variations } from './variations.mjs';

/** @import { Client, RunAnswer } from './client.mjs' */
/** @import { Tweaks } from './fill-in.mjs' */
/** @import { Fakes } from './serve-fakes.mjs' */
/** @import { FlowDocument, Plan, PlannedVertex, Result } from './table.mjs' */
/** @import { Variation } from './variations.mjs' */

/** @typedef {{ readonly client: Client, readonly name: string, readonly document: FlowDocument, readonly plan: Plan }} FlowRun */

/**
 * Uploads a flow, runs it with one input, with another, and with the first again, and deletes it. Resolves to { state,
 * reason, missed, dependsOnInput, isRepeatable }. `missed` are the types of vertices that should have run and did not;
 * `dependsOnInput` is null for a flow without an input to vary, and true also when the output is the same but a request to
 * a model differs: the fakes of models do not repeat their whole input. If models of the flow have tools, another run
 * calls each tool once: `tools` is { called, failed }.
 * @param {FlowRun & { readonly fakes: Fakes }} run
 * @returns {Promise<Result>}
 */
export async function runFlow({ client, fakes, name, document, plan }) {
  const vertices = runIndexes(plan.scope).map((index) => plan.vertices[index]);
  for (const [variable, value] of variablesOf(plan.vertices)) await client.setVariable(variable, value);
  for (const [server, config] of mcpServersOf(plan.vertices)) await client.setMcpServer(server, config);
  await prepare({ client, name, document, plan });
  const referencedFlows = await uploadReferencedFlows(client, plan.vertices);
  const { id } = await client.file(name, completed(document));
  try {
    const [first, second] = variations(
      vertices,
      plan.scope.start === null ? null : plan.vertices[plan.scope.start],
    );
    /** @type {(RunAnswer & { readonly asked: string })[]} */
    const answers = [];
    for (const [turn, variation] of [first, second, first].entries()) {
      const tweaks = await tweaksFor(vertices, (file) => client.upload(id, file), variation.variant);
      fakes.takeModelRequests();
      const answer = await runOnce(client, id, { variation, tweaks, session: `${id}-${turn}` });
      answers.push({ ...answer, asked: fakes.takeModelRequests().sort().join('\n') });
    }
    const judged = judge(answers, plan, first.isVaried);
    if (!answers.some(({ asked }) => asked.includes('"tools":['))) return judged;
    const tweaks = await tweaksFor(vertices, (file) => client.upload(id, file));
    return { ...judged, tools: await tryTools(client, id, { fakes, variation: first, tweaks }) };
  } catch (error) {
    return { state: 'failed', reason: messageOf(error) };
  } finally {
    for (const flow of [id, ...referencedFlows]) await client.remove(flow).catch(() => undefined);
  }
}

/**
 * Runs once the part of a flow that its runs do not reach, such as one that fills a store which another part searches:
 * authors run it in their editor. The table does not report whether it runs.
 * @param {FlowRun} run
 */
async function prepare({ client, name, document, plan }) {
  const part = unreachedPart(document, plan);
  if (part === null) return;
  const { id } = await client.file(`${name} (preparation)`, part);
  try {
    const tweaks = await tweaksFor(plan.vertices, (file) => client.upload(id, file));
    await client.run(id, { output_type: 'debug', tweaks });
  } catch {
    // If the store stays empty, the searches of the flow show it.
  } finally {
    await client.remove(id);
  }
}

/**
 * @param {Client} client
 * @param {string} id
 * @param {{ readonly fakes: Fakes, readonly variation: Variation, readonly tweaks: Tweaks }} options
 */
async function tryTools(client, id, { fakes, variation, tweaks }) {
  fakes.trial.begin();
  const failure = await runOnce(client, id, { variation, tweaks, session: `${id}-tools` }).then(
    () => null,
    (error) => error.message,
  );
  const { called, failed } = fakes.trial.end();
  return { called, failed: failure === null ? failed : [...failed, { tool: 'the run', reason: failure }] };
}

/**
 * @param {Client} client
 * @param {string} id
 * @param {{ readonly variation: Variation, readonly tweaks: Tweaks, readonly session: string }} options
 * @returns {Promise<RunAnswer>}
 */
async function runOnce(client, id, { variation, tweaks, session }) {
  const all = { ...tweaks };
  for (const [vertex, values] of Object.entries(variation.tweaks))
    all[vertex] = { ...all[vertex], ...values };
  if (variation.webhook !== undefined) return client.webhook(id, variation.webhook);
  return client.run(id, {
    input_value: variation.input,
    input_type: variation.inputType,
    output_type: 'debug',
    session_id: session,
    tweaks: all,
  });
}

/**
 * @param {readonly (RunAnswer & { readonly asked: string })[]} answers
 * @param {Plan} plan
 * @param {boolean} isVaried
 * @returns {Result}
 */
function judge([first, second, again], plan, isVaried) {
  if (first.outputs === undefined) {
    const failed = [first, second, again].find((run) => (run.status ?? run.state) !== 'succeeded');
    if (failed !== undefined)
      return { state: 'failed', reason: failed.error?.message ?? JSON.stringify(failed.error) };
    return { state: 'ran', missed: [], dependsOnInput: null, isRepeatable: null };
  }
  const ran = new Set(
    first.outputs.flatMap(({ outputs }) => outputs.map(({ component_id }) => component_id)),
  );
  const vertices = plan.scope.vertices.map((index) => plan.vertices[index]);
  const shown = [first, second, again].map((answer) => comparableOutput(answer, vertices));
  return {
    state: 'ran',
    missed: vertices.filter((vertex) => !ran.has(vertex.id)).map(({ type }) => type),
    dependsOnInput: isVaried ? shown[0] !== shown[1] || first.asked !== second.asked : null,
    isRepeatable: shown[0] === shown[2],
    shown,
  };
}
