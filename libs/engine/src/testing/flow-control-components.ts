import { defineComponent, handle, integer, text } from '@millrace/flow';
import type { Component } from '@millrace/flow';
import { DataFrame, Message } from '@millrace/python-text';

const loop = defineComponent({
  type: 'Loop',
  displayName: 'Loop',
  description: 'Runs its body once for each word.',
  inputs: { words: text() },
  outputs: { item: { types: ['Message'], loops: true }, done: { types: ['DataFrame'] } },
  deterministic: true,
  run: async ({ words }, context) => {
    context.stop('item');
    const items = words.split(' ').filter((word) => word !== '');
    const outcomes = await context.repeat(
      'item',
      items.map((word) => new Message({ text: word })),
    );
    return {
      item: null,
      done: new DataFrame(outcomes.map((value) => ({ text: value instanceof Message ? value.text : null }))),
    };
  },
});

const table = defineComponent({
  type: 'Table',
  displayName: 'Table',
  description: 'Writes the cells of a table in a row.',
  inputs: { table: handle() },
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: ({ table: given }) => ({
    text: new Message({
      text: given instanceof DataFrame ? given.rows.map((row) => String(row['text'])).join(' / ') : '',
    }),
  }),
});

const until = defineComponent({
  type: 'Until',
  displayName: 'Until',
  description: 'Continues until its input is long enough, or it has run the given number of times.',
  inputs: { input_text: text(), characters: integer({ default: 3 }), rounds: integer({ default: 10 }) },
  outputs: { again: { types: ['Message'] }, enough: { types: ['Message'] } },
  deterministic: true,
  routes: true,
  run: ({ input_text, characters, rounds }, context) => {
    const enough = input_text.length >= (characters ?? 0) || context.execution >= (rounds ?? 0);
    context.stop(enough ? 'again' : 'enough');
    return { [enough ? 'enough' : 'again']: new Message({ text: input_text }) };
  },
});

const ask = defineComponent({
  type: 'Ask',
  displayName: 'Ask',
  description: 'Asks a person, and outputs the prompt at the branch that they choose.',
  inputs: { prompt: text() },
  outputs: { yes: { types: ['Message'] }, no: { types: ['Message'] } },
  deterministic: false,
  asksHuman: true,
  routes: true,
  run: ({ prompt }, context) => {
    const decision = context.askHuman({
      kind: 'node_input',
      prompt,
      options: [],
      allowed_decisions: ['yes', 'no'],
      timeout_seconds: 0,
      fallback_action: null,
    });
    for (const branch of ['yes', 'no'])
      if (decision !== null && branch !== decision.action_id) context.stop(branch);
    return { yes: new Message({ text: prompt }), no: new Message({ text: prompt }) };
  },
});

const counter = defineComponent({
  type: 'Counter',
  displayName: 'Counter',
  description: 'Returns how often it has run.',
  inputs: { input_value: handle() },
  outputs: { count: { types: ['Message'] } },
  deterministic: true,
  run: (_inputs, context) => ({ count: new Message({ text: String(context.execution) }) }),
});

const busy = defineComponent({
  type: 'Busy',
  displayName: 'Busy',
  description: 'Keeps the process busy for two milliseconds.',
  inputs: { input_value: text() },
  outputs: { text: { types: ['Message'] } },
  deterministic: true,
  run: ({ input_value }) => {
    const end = performance.now() + 2;
    while (performance.now() < end);
    return { text: new Message({ text: input_value }) };
  },
});

/** Components that repeat their followers. */
export const flowControlComponents: readonly Component[] = [loop, table, until, ask, counter, busy];
