import { FALLBACK_DECISION } from '@millrace/flow';
import type { HumanDecision } from '@millrace/flow';
import type { StoredRequest } from '@millrace/runs';
import type { Random } from './random';
import type { CallOutcome } from './simulated-caller';
import { CALLER_API_KEY } from './simulation-fixture';
import { outsideProcesses } from './simulated-process';
import { CALLS, describeCall, describeDecision, personOf, QUESTION_SECONDS } from './simulated-question';
import type { AskedQuestion, QuestionKind } from './simulated-question';
import type { SimulatedWorld } from './simulated-world';
import type { StoredRun, Suspensions } from './stored-runs';
import { hasEnded } from './stored-runs';

/** An answer that a person tries to give until it is known what became of it. */
interface Answer {
  readonly person: string;
  /** The questions that it answers at once. */
  readonly questions: readonly Question[];
  /** The places of the calls that it is for; all unless given. */
  readonly calls: readonly number[] | undefined;
  /** `over`: the run has ended without it, or another person has answered one of several questions. */
  state: 'waiting' | 'counted' | 'refused' | 'over';
  /** Whether a try had no answer: it may have counted all the same. */
  isUnclear: boolean;
  isTrying: boolean;
}

interface Question {
  readonly runId: string;
  readonly requestId: string;
  readonly vertex: string;
  readonly kind: QuestionKind;
  readonly calls: readonly number[];
  readonly answers: Answer[];
  /** Number of crashes of executors when an answer counted. */
  crashesAtAnswer: number | null;
}

/** A request as it is stored, with its decision. */
interface StoredQuestion {
  readonly request: StoredRequest | undefined;
  readonly decision: HumanDecision | undefined;
}

export interface PersonsDependencies {
  readonly world: SimulatedWorld;
  readonly random: Random;
  note(what: string): void;
  count(what: string): void;
  crashes(): number;
}

/** What the outcome of a run is checked against. */
export interface RunsOfPersons {
  readonly rows: ReadonlyMap<string, StoredRun>;
  readonly suspensions: ReadonlyMap<string, Suspensions>;
}

/** How long a person thinks: also about as long as a question waits, and longer than a run may take. */
const THINKING_MILLISECONDS = [1, 50, 400, 2_000, 15_000, QUESTION_SECONDS * 1_000 + 1_000, 70_000] as const;
const MAXIMUM_PAUSE_MILLISECONDS = 3_000;
const SHARE_OF_GATEWAYS = 0.7;

/**
 * Persons who answer the questions of suspended runs: after a while, several at once, too late or never. Some cancel the run
 * instead. Checks that one answer counts, and that the run goes on with it, once.
 */
export class Persons {
  readonly #dependencies: PersonsDependencies;
  /** By request id, which is unique. */
  readonly #questions = new Map<string, Question>();
  readonly #cancelled = new Set<string>();
  #persons = 0;

  constructor(dependencies: PersonsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Decides what a person does about a question. Further attempts of its run ask it again. */
  onAsked({ runId, requestId, vertex, kind, calls }: AskedQuestion): void {
    if (this.#questions.has(requestId)) return;
    const { random } = this.#dependencies;
    const question: Question = { runId, requestId, vertex, kind, calls, answers: [], crashesAtAnswer: null };
    this.#questions.set(requestId, question);
    const isTimed = kind === 'expire' || kind === 'end';
    const behavior = random.pick(
      isTimed
        ? (['never', 'never', 'answer', 'twice'] as const)
        : (['answer', 'answer', 'answer', 'twice', 'twice', 'cancel'] as const),
    );
    const milliseconds = random.pick(THINKING_MILLISECONDS);
    if (behavior === 'never') return;
    this.#after(milliseconds, () =>
      behavior === 'cancel'
        ? this.#cancel(question)
        : this.#answerSome(question, behavior === 'twice' ? 2 : 1),
    );
  }

  /** Answers a question that waits, at once. Returns false when there is none. */
  answerNow(): boolean {
    const waiting = [...this.#questions.values()].filter(({ answers }) =>
      answers.every(({ state }) => state === 'waiting'),
    );
    if (waiting.length === 0) return false;
    const question = this.#dependencies.random.pick(waiting);
    if (question.answers.length === 0) this.#answer(question, 1);
    for (const answer of question.answers) void this.#try(answer);
    return true;
  }

  hasCancelled(runId: string): boolean {
    return this.#cancelled.has(runId);
  }

  /** Returns violations of what persons were promised. */
  async violations({ rows, suspensions }: RunsOfPersons): Promise<string[]> {
    const { world } = this.#dependencies;
    const violations: string[] = [];
    const byRun = Map.groupBy(this.#questions.values(), ({ runId }) => runId);
    for (const [runId, questions] of byRun) {
      const row = rows.get(runId);
      if (row === undefined) {
        violations.push(`${runId} asked, but does not exist`);
        continue;
      }
      const requests = await world.runs.humanRequests(null, runId);
      const { decisions } = await world.runs.resumption(runId);
      const known = questions.map((question) => {
        const request = requests.find(({ request_id: id }) => id === question.requestId);
        return { question, stored: { request, decision: decisions.get(question.requestId) } };
      });
      const { ways = [] } = suspensions.get(runId) ?? {};
      for (const { question, stored } of known) {
        const found = [
          ...violationsOfAnswers(question, stored),
          ...violationsOfEnd(question, stored, row, ways),
        ];
        violations.push(...found.map((text) => `${question.requestId} (${question.kind}): ${text}`));
        this.#countQuestion(question, stored);
      }
      // A person can answer two questions at once.
      const answers = new Set(
        known.flatMap(({ question, stored: { decision } }) =>
          decision === undefined ? [] : [personOf(decision) ?? question.requestId],
        ),
      ).size;
      const ofRun = [
        ...violationsOfPauses(suspensions.get(runId), questions.length, answers),
        ...violationsOfCalls(known, row),
      ];
      violations.push(...ofRun.map((text) => `${runId} ${text}`));
      this.#countRun(row, suspensions.get(runId)?.pauses ?? []);
    }
    return violations;
  }

  /** Answers a question, and another one of its run at once if that waits for its first answer and the person likes. */
  #answerSome(question: Question, persons: number): void {
    const { random, count } = this.#dependencies;
    const other = [...this.#questions.values()].find(
      ({ runId, requestId, answers }) =>
        runId === question.runId && requestId !== question.requestId && answers.length === 0,
    );
    const isAlone = other === undefined || question.kind !== 'both' || question.answers.length > 0;
    if (isAlone || random.chance(0.3)) return this.#answer(question, persons);
    count('two questions were answered at once');
    void this.#try(this.#newAnswer([question, other]));
  }

  #answer(question: Question, persons: number): void {
    for (let count = 0; count < persons; count += 1) void this.#try(this.#newAnswer([question]));
  }

  #newAnswer(questions: readonly [Question, ...Question[]]): Answer {
    this.#persons += 1;
    const person = `person-${this.#persons}`;
    const calls = this.#someCalls(questions[0]);
    const answer: Answer = { person, questions, calls, state: 'waiting', isUnclear: false, isTrying: false };
    for (const { answers } of questions) answers.push(answer);
    return answer;
  }

  /** Returns the places of one or two of several calls, or undefined for all. */
  #someCalls({ calls }: Question): readonly number[] | undefined {
    const { random, count } = this.#dependencies;
    if (calls.length < 2) return undefined;
    const place = random.between(0, calls.length - 1);
    const chosen = random.pick([undefined, [place], [place], [place, (place + 1) % calls.length]] as const);
    count(chosen === undefined ? 'calls were decided together' : 'calls were decided one by one');
    return chosen;
  }

  async #cancel({ runId }: Question): Promise<void> {
    const { world, note } = this.#dependencies;
    this.#cancelled.add(runId);
    note(`a person cancels ${runId}`);
    await world.cancel(runId);
  }

  /** Tries to answer, and again after a pause while the run does not wait yet or the outcome is not known. */
  async #try(answer: Answer): Promise<void> {
    if (answer.isTrying || answer.state !== 'waiting') return;
    const { random, note, crashes, world } = this.#dependencies;
    const { questions, person } = answer;
    const [{ runId } = { runId: '' }] = questions;
    answer.isTrying = true;
    const outcome = await this.#send(answer);
    answer.isTrying = false;
    if (outcome === 'counted') {
      answer.state = 'counted';
      for (const question of questions) question.crashesAtAnswer = crashes();
    } else if (outcome === 'refused') {
      answer.state = questions.length > 1 ? 'over' : 'refused';
      if (questions.length > 1) for (const question of questions) this.#answer(question, 1);
    } else {
      answer.isUnclear ||= outcome === 'unknown';
      const run = await world.find(runId);
      if (run !== null && hasEnded(run)) answer.state = 'over';
      else this.#after(random.between(200, MAXIMUM_PAUSE_MILLISECONDS), () => void this.#try(answer));
    }
    const asked = questions.map(({ requestId }) => requestId).join(' and ');
    if (answer.state !== 'waiting') note(`${person} on ${asked}: ${answer.state}`);
  }

  async #send({ questions, person, calls }: Answer): Promise<'counted' | 'refused' | 'early' | 'unknown'> {
    const { world, random } = this.#dependencies;
    const [{ runId, requestId, kind } = { runId: '', requestId: '', kind: 'ask' }] = questions;
    const decision: HumanDecision = {
      action_id: kind === 'calls' ? 'respond' : 'approve',
      // The gateway refuses values that a decision about calls would ignore.
      values: kind === 'calls' ? { message: person } : { person },
      ...(calls && { calls }),
    };
    const isDirect = questions.length > 1 || world.gateways.length === 0;
    if (isDirect || !random.chance(SHARE_OF_GATEWAYS)) {
      const ids = questions.map((question) => question.requestId);
      if (await world.decide(runId, new Map(ids.map((id) => [id, decision])))) return 'counted';
      const requests = await world.runs.humanRequests(null, runId);
      const isDecided = requests.some(
        ({ request_id: id, decidedAt }) => ids.includes(id) && decidedAt !== null,
      );
      return isDecided ? 'refused' : 'early';
    }
    const caller = world.call(random.pick(world.gateways), {
      path: `/api/v2/workflows/${runId}/resume`,
      headers: { 'x-api-key': CALLER_API_KEY },
      body: JSON.stringify({ request_id: requestId, decision }),
    });
    return this.#meaningOf(await caller.outcome, person);
  }

  #meaningOf(outcome: CallOutcome, person: string): 'counted' | 'refused' | 'early' | 'unknown' {
    if (outcome.kind === 'broken') return 'unknown';
    const { status, body } = outcome;
    if (status === 200) return 'counted';
    if (status === 409) return body.includes('decided_at') ? 'refused' : 'early';
    if (status < 500) this.#dependencies.note(`BROKEN: ${person} was answered with ${status} ${body}`);
    return 'unknown';
  }

  #after(milliseconds: number, act: () => unknown): void {
    outsideProcesses(() => setTimeout(() => void act(), milliseconds));
  }

  #countQuestion({ runId, vertex, answers, crashesAtAnswer }: Question, { decision }: StoredQuestion): void {
    const { count, world } = this.#dependencies;
    if (vertex === 'SimulatedQuestion-3') count('asked beside another question');
    if (answers.some(({ state }) => state === 'counted')) count('an answer counted');
    if (answers.some(({ state }) => state === 'refused')) count('an answer was refused');
    if (answers.some(({ isUnclear }) => isUnclear)) count('an answer had no confirmation');
    if (decision?.action_id === FALLBACK_DECISION) count('went on with its fallback');
    const crashes = world.work.of(runId).findLast((one) => one.vertex === vertex)?.crashes ?? 0;
    if (crashesAtAnswer !== null && crashes > crashesAtAnswer)
      count('an executor crashed between an answer and its use');
  }

  #countRun({ id, status, attempt }: StoredRun, pauses: readonly number[]): void {
    const { count, world } = this.#dependencies;
    const executions = world.work.of(id);
    const [first] = pauses;
    if (first === undefined) return;
    count('suspended');
    if (pauses.length > 1) count('suspended twice');
    if (status === 'timed_out') count('not answered in time');
    if (status === 'cancelled' && pauses.includes(attempt)) count('cancelled while suspended');
    if (executions.some((one) => one.attempt > (pauses.at(-1) ?? 0) + 1))
      count('attempted again after its answer');
    const processOf = (of: number) => executions.find((one) => one.attempt === of)?.process;
    if (pauses.some((of) => (processOf(of + 1) ?? processOf(of)) !== processOf(of)))
      count('went on at another executor');
  }
}

/** Checks that the stored answer is the one that counted. */
function violationsOfAnswers({ kind, answers }: Question, { request, decision }: StoredQuestion): string[] {
  const violations: string[] = [];
  const counted = answers.filter(({ state }) => state === 'counted');
  if (counted.length > 1) violations.push(`${counted.length} answers counted`);
  const person = decision && personOf(decision);
  for (const answer of counted)
    if (answer.person !== person)
      violations.push(`the answer of ${answer.person} counted, but ${String(person)}'s is stored`);
  const isRefused = answers.some(({ state }) => state === 'refused');
  if (isRefused && decision === undefined) violations.push('an answer was refused, but none is stored');
  if (decision === undefined) return violations;
  if (decision.action_id === FALLBACK_DECISION) {
    if (kind !== 'expire') violations.push('its fallback was taken, but it has none');
    const { decidedAt = null, dueAt = null } = request ?? {};
    if (decidedAt === null || dueAt === null || decidedAt < dueAt)
      violations.push('its fallback was taken before its time was over');
    return violations;
  }
  const known = answers.find((answer) => answer.person === person);
  if (known === undefined || (known.state === 'refused' && !known.isUnclear))
    violations.push(`the answer of ${String(person)} is stored, which was not given or was refused`);
  return violations;
}

/** Checks that a run that succeeded did so with the stored answer, and that one without an answer did not succeed. */
function violationsOfEnd(
  { kind }: Question,
  { decision }: StoredQuestion,
  { status, result }: StoredRun,
  ways: readonly string[],
): string[] {
  if (ways.includes('timed_out') && decision === undefined && kind !== 'end')
    return ['its run timed out while it waited'];
  if (status !== 'succeeded') return [];
  if (decision === undefined) return ['its run succeeded without an answer'];
  if (kind === 'calls') return [];
  return result?.includes(`; ${describeDecision(decision)}`) === true
    ? []
    : [`its run succeeded without the answer "${describeDecision(decision)}"`];
}

/** Checks that each call got the decision that was given for it, and that none got two. */
function violationsOfCalls(
  known: readonly { readonly question: Question; readonly stored: StoredQuestion }[],
  { status, result }: StoredRun,
): string[] {
  const given = known.flatMap(({ question: { calls, kind }, stored: { decision } }) => {
    if (kind !== 'calls' || decision === undefined) return [];
    const places = decision.calls ?? [...calls.keys()];
    return places.map((place) => ({ call: calls[place], person: String(personOf(decision)) }));
  });
  const decided = given.map(({ call }) => call);
  if (new Set(decided).size < decided.length) return [`decided twice about a call: ${decided.join(', ')}`];
  if (status !== 'succeeded' || given.length === 0) return [];
  if (given.length < CALLS) return [`succeeded with ${given.length} of ${CALLS} decisions`];
  return given
    .filter(({ call, person }) => !result?.includes(describeCall(call ?? -1, person)))
    .map(({ call, person }) => `succeeded without the decision of ${person} about call ${call}`);
}

/** Checks that a run was suspended once for each question, and went on once for each answer. */
function violationsOfPauses(
  { pauses, ways, isHeld }: Suspensions = { pauses: [], ways: [], isHeld: false },
  questions: number,
  answers: number,
): string[] {
  const resumed = ways.filter((way) => way === 'accepted').length;
  const others = ways.filter((way) => !['accepted', 'cancelled', 'timed_out'].includes(way));
  return [
    ...(isHeld ? ['was suspended with a lease, an executor or a time of its next sweep'] : []),
    ...(pauses.length > questions ? [`was suspended ${pauses.length} times for ${questions} questions`] : []),
    ...(resumed !== answers ? [`went on ${resumed} times after ${answers} answers`] : []),
    ...others.map((way) => `went from suspended to ${way}`),
  ];
}
