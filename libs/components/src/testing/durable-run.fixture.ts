import { randomUUID } from 'node:crypto';
import { RunSuspension } from '@millrace/flow';
import type { HumanDecision, HumanRequest } from '@millrace/flow';
import type { RunCheckpoint } from '@millrace/engine';
import type { node, RunOptions, RunUnderTest } from './flow-under-test.fixture';
import { sharedEffects } from './shared-effects.fixture';
import { toolNode } from './tool-node.fixture';

export type ToolNode = ReturnType<typeof node> & {
  readonly data: { readonly node: { readonly template: Record<string, object> } };
};

/** Returns the calculator as a tool with these decisions. */
export function approvedCalculator(...approval_actions: readonly string[]): ToolNode {
  const row = { name: 'evaluate_expression', tags: ['evaluate_expression'], status: true, approval_actions };
  return toolNode('CalculatorComponent-t', 'CalculatorComponent', [row]) as ToolNode;
}

/** One durable run over its attempts, each of which `attempt` makes. */
export function durableRun(
  attempt: (options: RunOptions) => Promise<RunUnderTest>,
  { remembersSteps } = { remembersSteps: true },
) {
  const decisions = new Map<string, HumanDecision>();
  const checkpoint: RunCheckpoint = {
    part: '',
    resultAt: () => undefined,
    decisionOn: (id) => decisions.get(id),
    keep: () => undefined,
  };
  const effects = { ...sharedEffects(), ...(!remembersSteps && { findStep: async () => undefined }) };
  const options: RunOptions = { checkpoint, effects, runId: randomUUID() };
  return {
    /** Resolves to all that the next attempt asks. */
    async asksAll(): Promise<readonly HumanRequest[]> {
      const error: unknown = await attempt(options).catch((caught: unknown) => caught);
      return error instanceof RunSuspension ? error.requests : [];
    },
    async asks(): Promise<HumanRequest | undefined> {
      return (await this.asksAll())[0];
    },
    answer(
      request: HumanRequest | undefined,
      action_id: string,
      values: HumanDecision['values'] = {},
      calls?: readonly number[],
    ): void {
      decisions.set(request?.request_id ?? '', { action_id, values, ...(calls && { calls }) });
    },
    async decide(action_id: string, values: HumanDecision['values'] = {}): Promise<RunUnderTest> {
      this.answer(await this.asks(), action_id, values);
      return attempt(options);
    },
  };
}
