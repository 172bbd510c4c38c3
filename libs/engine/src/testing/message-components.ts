import { setTimeout as sleep } from 'node:timers/promises';
import { defineComponent, handle, integer, listOf, isToolHandle } from '@millrace/flow';
import type { Component } from '@millrace/flow';
import { Message } from '@millrace/python-text';

const history = defineComponent({
  type: 'History',
  displayName: 'History',
  description: 'Reads the messages of the session.',
  inputs: { after: handle() },
  outputs: { text: { types: ['Message'] } },
  deterministic: false,
  readsSession: true,
  run: async (_inputs, context) => {
    const query = { sessionId: context.run.sessionId, limit: 100, order: 'ascending' } as const;
    const messages = await context.readMessages(query);
    return { text: new Message({ text: messages.map((message) => message.text).join(' / ') }) };
  },
});

const note = defineComponent({
  type: 'Note',
  displayName: 'Note',
  description: 'Stores its text, or its id, as a message after a while.',
  inputs: { text: handle({ tool: true }), milliseconds: integer({ default: 0 }) },
  outputs: { noted: { types: ['Message'] } },
  deterministic: false,
  storesMessages: true,
  run: async ({ text: given, milliseconds }, context) => {
    await sleep(milliseconds ?? 0, undefined, { signal: context.signal });
    const text = given instanceof Message ? given.text : String(given || context.vertex.id);
    return { noted: await context.storeMessage(new Message({ text })) };
  },
});

/** Its stream can be read once, as that of a generator. */
const sender = defineComponent({
  type: 'Sender',
  displayName: 'Sender',
  description: 'Sends a message whose text is produced once.',
  inputs: {},
  outputs: { sent: { types: ['Message'] } },
  deterministic: false,
  storesMessages: true,
  run: async (_inputs, context) => ({
    sent: await context.sendMessage(new Message({ text: '', stream: wordsOf(['one ', 'two ', 'three']) })),
  }),
});

async function* wordsOf(words: readonly string[]): AsyncGenerator<string, void, undefined> {
  for (const word of words) yield await Promise.resolve(word);
}

/** Calls all of its tools at the same time, twice. */
const assistant = defineComponent({
  type: 'Assistant',
  displayName: 'Assistant',
  description: 'Calls tools as an agent does.',
  inputs: { tools: listOf(handle()), after: handle() },
  outputs: { replies: { types: ['Message'] } },
  deterministic: false,
  run: async ({ tools }, context) => {
    const replies: string[] = [];
    for (const text of ['first', 'second']) {
      const now = context.moment.next();
      const called = tools
        .filter((tool) => isToolHandle(tool))
        .map((tool) => tool.call({ text }, now.concurrent()));
      replies.push((await Promise.all(called)).join(' + '));
    }
    return { replies: new Message({ text: replies.join(' then ') }) };
  },
});

const hasty = defineComponent({
  type: 'Hasty',
  displayName: 'Hasty',
  description: 'Stores a message and does not declare it.',
  inputs: {},
  outputs: { noted: { types: ['Message'] } },
  deterministic: false,
  run: async (_inputs, context) => ({ noted: await context.storeMessage(new Message({ text: 'hasty' })) }),
});

/** Components that store messages and read them. */
export const messageComponents: readonly Component[] = [sender, history, note, assistant, hasty];
