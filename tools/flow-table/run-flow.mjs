import { tweaksFor, variablesOf } from './fill-in.mjs';
import { shownBy } from './shown-by.mjs';
import { variations } from './variations.mjs';

/**
 * Files a flow, runs it with one input, with another, and with the first again, and takes it away: { state, reason,
 * missed, dependsOnInput, isRepeatable }. `missed` are the types of vertices that should have run and did not;
 * `dependsOnInput` is null for a flow that has nothing to vary.
 */
export async function runFlow({ client, name, document, plan }) {
  const vertices = runIndexes(plan.scope).map((index) => plan.vertices[index]);
  for (const [variable, value] of variablesOf(vertices)) await client.setVariable(variable, value);
  const { id } = await client.file(name, document);
  try {
    const tweaks = await tweaksFor(vertices, (file) => client.upload(id, file));
    const [first, second] = variations(
      vertices,
      plan.scope.start === null ? null : plan.vertices[plan.scope.start],
    );
    const answers = [];
    for (const [turn, variation] of [first, second, first].entries())
      answers.push(await runOnce(client, id, { variation, tweaks, session: `${id}-${turn}` }));
    return judge(answers, vertices, first.isVaried);
  } catch (error) {
    return { state: 'failed', reason: error.message };
  } finally {
    await client.remove(id).catch(() => undefined);
  }
}

/** Indexes of the vertices a run executes, those inside of loops included. */
export function runIndexes(scope) {
  return [...scope.vertices, ...[...scope.bodies.values()].flatMap((body) => runIndexes(body.scope))];
}

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

function judge([first, second, again], vertices, isVaried) {
  if (first.outputs === undefined) {
    const failed = [first, second, again].find((run) => (run.status ?? run.state) !== 'succeeded');
    if (failed !== undefined)
      return { state: 'failed', reason: failed.error?.message ?? JSON.stringify(failed.error) };
    return { state: 'ran', missed: [], dependsOnInput: null, isRepeatable: null };
  }
  const ran = new Set(
    first.outputs.flatMap(({ outputs }) => outputs.map(({ component_id }) => component_id)),
  );
  const shown = [first, second, again].map((answer) => shownBy(answer, vertices));
  return {
    state: 'ran',
    missed: vertices.filter((vertex) => !ran.has(vertex.id)).map(({ type }) => type),
    dependsOnInput: isVaried ? shown[0] !== shown[1] : null,
    isRepeatable: shown[0] === shown[2],
    shown,
  };
}
