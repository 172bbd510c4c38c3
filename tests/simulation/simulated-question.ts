import { approveCalls } from '@millrace/components';
import { ComponentError, defineComponent, RunSuspension, text } from '@millrace/flow';
import type { Component, ComponentContext, HumanDecision, ToolHandle } from '@millrace/flow';
import { Message } from '@millrace/python-text';
import { flowData, node } from '@millrace/testing';
import type { FlowData } from '@millrace/testing';
import { executionOf, workFor } from './simulated-work';
import type { Execution, WorkHooks } from './simulated-work';
import type { Random } from './random';

/**
 * What a run asks:
 *
 * - `ask`: one question, which waits until it is answered
 * - `twice`: two questions, one after the other
 * - `both`: two questions at once, which are answered one by one or together
 * - `calls`: whether three calls of a tool are made, which are decided about one by one or together
 * - `expire`: one question, whose time-out takes the fallback
 * - `end`: one question, whose time-out ends the run
 */
export type QuestionKind = 'ask' | 'twice' | 'both' | 'calls' | 'expire' | 'end';

/** The number of calls that one answer of a model wants. */
export const CALLS = 3;

/** A question for which a run is about to be suspended. */
export interface AskedQuestion extends Execution {
  readonly requestId: string;
  readonly kind: QuestionKind;
  /** Which calls a question of the kind `calls` is about, in order. */
  readonly calls: readonly number[];
}

/** Work that a later attempt must not repeat once it is recorded. */
export interface RecordedWork extends Execution {
  readonly name: 'step' | 'effect';
}

export interface QuestionHooks extends WorkHooks {
  onAsked(question: AskedQuestion): void;
  /** Called when the work is done, before its record. */
  onPerformed(work: RecordedWork): void;
  /** Called when the record is confirmed. An effect has none when a further attempt began it meanwhile. */
  onRecorded(work: RecordedWork): Promise<void>;
  /** Called when the record of an earlier attempt is used. */
  onReplayed(work: RecordedWork): void;
}

/** How long a question with a time-out waits. */
export const QUESTION_SECONDS = 20;
/** How long the vertex works after the answer, so that faults can meet it. */
const WORK_AFTER_ANSWER_MILLISECONDS = 300;
const QUESTION_PATTERN = /^\d+ (ask|twice|both|calls|expire|end)(?:, then (fail|poison))?/;

/** Returns a work that asks a person. */
export function drawQuestion(random: Random): string {
  const milliseconds = random.pick([1, 1, 200, 900, 4_000] as const);
  const kind = random.pick(['ask', 'ask', 'ask', 'twice', 'both', 'calls', 'expire', 'end'] as const);
  const then =
    kind !== 'ask' ? '' : random.chance(0.05) ? ', then poison' : random.chance(0.1) ? ', then fail' : '';
  return `${milliseconds} ${kind}${then}`;
}

/** Returns what a work asks; null for one that does not. */
export function questionIn(work: string): { readonly kind: QuestionKind; readonly then: string } | null {
  const [, kind, then = ''] = QUESTION_PATTERN.exec(work) ?? [];
  return kind === undefined ? null : { kind: kind as QuestionKind, then };
}

/**
 * Returns a component that records a step, asks a person ("200 ask", see QuestionKind), performs an effect after the answer, and
 * adds the answer to its input.
 */
export function simulatedQuestion(hooks: QuestionHooks): Component {
  return defineComponent({
    type: 'SimulatedQuestion',
    displayName: 'Simulated Question',
    description: 'Waits for a person.',
    inputs: { input_value: text({ displayName: 'Text', required: true }) },
    outputs: { output: { types: ['Message'] } },
    deterministic: false,
    asksHuman: true,
    run: async ({ input_value }, context) => {
      const execution = executionOf(context);
      hooks.onStarted(execution);
      const question = questionIn(input_value);
      if (question === null) throw new ComponentError('There is no question.');
      const { kind, then } = question;
      const only = { 'SimulatedQuestion-2': 'twice', 'SimulatedQuestion-3': 'both' }[execution.vertex];
      if (only !== undefined && only !== kind) return { output: new Message({ text: input_value }) };
      await recordStep(context, execution, hooks);
      const decision = ask(context, { ...execution, kind }, hooks);
      await performEffect(context, execution, hooks);
      await workFor(WORK_AFTER_ANSWER_MILLISECONDS, context);
      if (then === 'poison') {
        hooks.onPoison();
        await new Promise(() => undefined);
      }
      if (then === 'fail') throw new ComponentError('The work after the answer failed.');
      hooks.onEnded(execution);
      return { output: new Message({ text: `${input_value}; ${decision}` }) };
    },
  });
}

/** Returns the part of a result that names who decided about a call. */
export function describeCall(call: number, person: string): string {
  return `call ${call} by ${person}`;
}

/** Returns the part of a result that names a decision. */
export function describeDecision(decision: HumanDecision): string {
  const person = personOf(decision);
  return `${decision.action_id} by ${typeof person === 'string' ? person : 'no person'}`;
}

/** Returns who gave a decision: the responses to calls have it as their message. */
export function personOf({ values }: HumanDecision): unknown {
  return values['person'] ?? values['message'];
}

/** Returns the part of the result that names the decisions. */
function ask(
  context: ComponentContext,
  asking: Execution & { readonly kind: QuestionKind },
  { onAsked }: QuestionHooks,
): string {
  try {
    return asking.kind === 'calls' ? askAboutCalls(context) : askOnce(context, asking.kind);
  } catch (error) {
    const [request] = error instanceof RunSuspension ? error.requests : [];
    const calls = (request?.action_requests ?? []).map(({ args }) => Number(args['call']));
    if (request) onAsked({ ...asking, calls, requestId: request.request_id });
    throw error;
  }
}

function askOnce(context: ComponentContext, kind: QuestionKind): string {
  const hasFallback = kind === 'expire';
  const decision = context.askHuman({
    kind: 'node_input',
    prompt: 'Go on?',
    options: [{ action_id: 'approve', label: 'Approve' }],
    allowed_decisions: hasFallback ? ['approve', 'fallback'] : ['approve'],
    timeout_seconds: hasFallback || kind === 'end' ? QUESTION_SECONDS : 0,
    fallback_action: hasFallback ? 'fallback' : null,
  });
  if (decision === null) throw new ComponentError('The question has no connected output.');
  return describeDecision(decision);
}

/** Asks about the calls of one answer, as an agent does. The persons answer with their names in place of the results. */
function askAboutCalls(context: ComponentContext): string {
  const tool: ToolHandle = {
    kind: 'tool',
    name: 'simulated_call',
    description: '',
    parameters: {},
    approvals: ['respond'],
    call: () => Promise.resolve(''),
  };
  const calls = Array.from({ length: CALLS }, (_, call) => ({
    id: `call_${call}`,
    name: tool.name,
    argumentsText: JSON.stringify({ call }),
  }));
  return approveCalls({ tools: [tool], scope: 'simulated' }, calls, 1, context)
    .map((decided, call) => describeCall(call, decided.kind === 'answer' ? decided.text : 'no person'))
    .join(', ');
}

/** Does a step as an agent calls a model: before the question, and once for all attempts. */
async function recordStep(
  context: ComponentContext,
  execution: Execution,
  { onPerformed, onRecorded, onReplayed }: QuestionHooks,
): Promise<void> {
  const work = { ...execution, name: 'step' } as const;
  if ((await context.findStep('step')) !== undefined) return onReplayed(work);
  onPerformed(work);
  await context.recordStep('step', 'done');
  await onRecorded(work);
}

async function performEffect(
  context: ComponentContext,
  execution: Execution,
  { onPerformed, onRecorded, onReplayed }: QuestionHooks,
): Promise<void> {
  const work = { ...execution, name: 'effect' } as const;
  let isPerformed = false;
  await context.effect('effect', () => {
    isPerformed = true;
    onPerformed(work);
    return Promise.resolve('done');
  });
  if (isPerformed) await onRecorded(work);
  else onReplayed(work);
}

/**
 * Webhook → its text → a work → two questions → Chat Output. Beside them, another work and another question follow the first work: a
 * run is suspended when nothing else of it can be executed.
 */
export const askingFlow: FlowData = flowData(
  [
    node('Webhook-1', { data: '' }, 'output_data'),
    node('ParserComponent-1', { mode: 'Parser', pattern: '{work}' }, 'parsed_text'),
    node('SimulatedWork-1', { input_value: '' }, 'output'),
    node('SimulatedWork-2', { input_value: '' }, 'output'),
    node('SimulatedQuestion-1', { input_value: '' }, 'output'),
    node('SimulatedQuestion-2', { input_value: '' }, 'output'),
    node('SimulatedQuestion-3', { input_value: '' }, 'output'),
    node('ChatOutput-1', { input_value: '' }, 'message'),
    node('ChatOutput-2', { input_value: '' }, 'message'),
    node('ChatOutput-3', { input_value: '' }, 'message'),
  ],
  [
    'Webhook-1.output_data > ParserComponent-1.input_data',
    'ParserComponent-1.parsed_text > SimulatedWork-1.input_value',
    'SimulatedWork-1.output > SimulatedWork-2.input_value',
    'SimulatedWork-1.output > SimulatedQuestion-1.input_value',
    'SimulatedQuestion-1.output > SimulatedQuestion-2.input_value',
    'SimulatedQuestion-2.output > ChatOutput-1.input_value',
    'SimulatedWork-2.output > ChatOutput-2.input_value',
    'SimulatedWork-1.output > SimulatedQuestion-3.input_value',
    'SimulatedQuestion-3.output > ChatOutput-3.input_value',
  ],
);

/** Chat Input → a work → two questions → Chat Output. */
export const consultingFlow: FlowData = flowData(
  [
    node('ChatInput-1', { input_value: '' }, 'message'),
    node('SimulatedWork-1', { input_value: '' }, 'output'),
    node('SimulatedQuestion-1', { input_value: '' }, 'output'),
    node('SimulatedQuestion-2', { input_value: '' }, 'output'),
    node('ChatOutput-1', { input_value: '' }, 'message'),
  ],
  [
    'ChatInput-1.message > SimulatedWork-1.input_value',
    'SimulatedWork-1.output > SimulatedQuestion-1.input_value',
    'SimulatedQuestion-1.output > SimulatedQuestion-2.input_value',
    'SimulatedQuestion-2.output > ChatOutput-1.input_value',
  ],
);
