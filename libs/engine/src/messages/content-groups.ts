/** A block of a message with contents, such as the steps of an agent. */
export interface ContentBlock {
  readonly title: string;
  readonly contents: readonly Readonly<Record<string, unknown>>[];
}

const members = { id: null, duration: null, header: {} };

/** Returns the blocks of a message as groups, the form of Langflow 1.13 beside that of stored messages. */
export function contentGroups(blocks: readonly unknown[]): readonly object[] {
  return (blocks as readonly ContentBlock[]).map((block) => ({
    type: 'group',
    ...members,
    ...block,
    contents: block.contents.map((content) => ({ id: null, ...content, contents: [] })),
  }));
}

/** Returns a text as a content beside the groups. */
export function textContent(text: string): object {
  return { type: 'text', ...members, contents: [], text };
}
