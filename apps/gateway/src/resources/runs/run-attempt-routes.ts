import { runAttemptsSchema } from './run-attempts-schema';
import { readRunAttempts, readRunLog } from '@millrace/runs';
import type { KeptAttempt, RunLogLine, RunStore } from '@millrace/runs';
import { shownRun } from '../../authentication/member-rights';
import { pythonIsoFormat } from '../../http/validation/date-time';
import { forReading } from '../../http/routing/access';
import type { KeyedCall, Route } from '../../http/routing/route';
import { sendJson } from '../../http/answers/send-json';
import { json } from '../../http/routing/operation';
import type { Operation } from '../../http/routing/operation';
import type { ReadYourWrites } from '../../runs/read-your-writes';
import type { RunLocator } from '../../runs/run-locator';
import { ownerOf, ownerQuery } from './run-owner';
import type { RunOwnerOptions } from './run-owner';
import { runIdOf, unknownRun } from './run-view';

export interface RunAttemptRoutesOptions extends RunOwnerOptions {
  readonly runs: Pick<RunStore, 'findSummary'>;
  readonly runLocator: RunLocator;
  readonly readYourWrites: ReadYourWrites;
}

const operation = {
  summary:
    'List the attempts of a run: their workers, times, and how they ended; at most 100. With the warnings and errors of the log',
  query: ownerQuery,
  answers: { 200: json('The attempts, the first one first', runAttemptsSchema) },
  errors: ['not_found', 'permission_denied'],
} as const satisfies Operation;

/** The route that lists the attempts of a run. */
export function runAttemptRoutes(options: RunAttemptRoutesOptions): readonly Route[] {
  const { runs, database, runLocator, readYourWrites } = options;
  const list = async (call: KeyedCall) => {
    const { request, response, principal } = call;
    const id = runIdOf(request);
    await readYourWrites.settled(principal.userId);
    const record = await runs.findSummary(await ownerOf(options, call, id), id);
    // An interactive run has no row until it ends. Until then the gateway of its caller knows it.
    if (!record && !(await runLocator.find(principal.userId, id))) throw unknownRun(id);
    const [attempts, log] = record
      ? await Promise.all([readRunAttempts(database, record), readRunLog(database, id)])
      : [[], []];
    const view = { run_id: id, attempts: attempts.map(attemptView), log: log.map(lineView) };
    sendJson(response, 200, shownRun(principal, view));
  };
  const path = '/api/v1/runs/:run_id/attempts';
  return [{ method: 'GET', path, access: forReading, operation, handle: list }];
}

function attemptView({ attempt, worker, startedAt, endedAt, outcome, failure }: KeptAttempt) {
  return {
    attempt,
    worker,
    started_at: startedAt && pythonIsoFormat(startedAt),
    ended_at: endedAt && pythonIsoFormat(endedAt),
    outcome,
    error: failure,
  };
}

function lineView({ at, level, attempt, message, fields }: RunLogLine) {
  return { at, level, attempt, message, fields };
}
