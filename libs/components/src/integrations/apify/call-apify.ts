import { argumentsDigest, ComponentError } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../http/call-service';
import type { ServiceCall } from '../http/call-service';
import { member, objectsMember, textMember } from '../http/json-members';
import { pause } from '../http/pause';
import { recordedStep } from '../recorded-step';
import { requireKey } from '../http/require-key';

const maximumItems = 1000;
const secondsPerPoll = 30;
const pauseMilliseconds = 100;
const finished: ReadonlySet<string> = new Set(['FAILED', 'ABORTED', 'TIMED-OUT']);

/**
 * Runs an actor until it finishes and returns the items of its dataset, at most a thousand. A later attempt waits for
 * the run that was started before.
 */
export async function runActor(
  token: string,
  actor: string,
  input: PythonValue,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  const query = { waitForFinish: secondsPerPoll };
  const call = { method: 'POST', json: input, query };
  const start = async (): Promise<PythonValue> =>
    member(await callApify(token, `acts/${actorPath(actor)}/runs`, call, context), 'data');
  let run = await context.effect(`run ${argumentsDigest({ actor, input })}`, start);
  while (textMember(run, 'status') !== 'SUCCEEDED') {
    const status = textMember(run, 'status');
    if (finished.has(status))
      throw new ComponentError(`Apify: the run of ${actor} ended with status ${status}.`);
    await pause(pauseMilliseconds, context.signal);
    const path = `actor-runs/${encodeURIComponent(textMember(run, 'id'))}`;
    run = member(await callApify(token, path, { query }, context), 'data');
  }
  const dataset = `datasets/${encodeURIComponent(textMember(run, 'defaultDatasetId'))}/items`;
  const items = await callApify(token, dataset, { query: { format: 'json', limit: maximumItems } }, context);
  return objectsMember({ items }, 'items');
}

interface ActorDescription {
  readonly description: string;
  /** The JSON Schema of its input. */
  readonly schema: string;
}

/** Returns the description of an actor: the same one in each attempt. */
export async function describeActor(
  token: string,
  actor: string,
  context: ComponentContext,
): Promise<ActorDescription> {
  return recordedStep(
    context,
    () => 'description',
    () => readActor(token, actor, context),
  );
}

async function readActor(token: string, actor: string, context: ComponentContext): Promise<ActorDescription> {
  const found = member(await callApify(token, `acts/${actorPath(actor)}`, {}, context), 'data');
  const tag = textMember(found, 'defaultRunOptions', 'build') || 'latest';
  const id = textMember(found, 'taggedBuilds', tag, 'buildId');
  if (id === '') throw new ComponentError(`Apify: ${actor} has no build.`);
  const build = member(await callApify(token, `actor-builds/${encodeURIComponent(id)}`, {}, context), 'data');
  return {
    description: textMember(build, 'readme') || textMember(found, 'description'),
    schema: textMember(build, 'inputSchema'),
  };
}

function callApify(
  token: string,
  path: string,
  call: Pick<ServiceCall, 'method' | 'json' | 'query'>,
  context: ComponentContext,
): Promise<PythonValue> {
  const key = requireKey(token, 'Apify Token');
  const address = {
    service: 'Apify',
    url: `https://api.apify.com/v2/${path}`,
    headers: { authorization: `Bearer ${key}` },
    secrets: [key],
    timeoutMilliseconds: (secondsPerPoll + 30) * 1000,
  };
  return callJson({ ...call, ...address }, context);
}

/** In addresses, "apify/website-content-crawler" is written with a tilde. */
function actorPath(actor: string): string {
  return encodeURIComponent(actor.trim().replace('/', '~'));
}
