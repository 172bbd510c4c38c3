/** A block of a message with contents, such as the steps of an agent. */
export interface ContentBlock {
  readonly title: string;
  readonly contents: readonly Readonly<Record<string, unknown>>[];
}

const AGENT_STEPS = 'Agent Steps';
const OUTPUT = { title: 'Output', icon: 'MessageSquare' };
const members = { id: null, duration: null, header: {} };

/** Returns the blocks of a message as groups, the form of Langflow 1.13 beside that of stored messages. */
export function contentGroups(blocks: readonly unknown[]): readonly object[] {
  return (blocks as readonly ContentBlock[]).map((block) => ({
    type: 'group',
    ...members,
    ...block,
    contents: contentsOf(block),
  }));
}

/** Returns the contents of blocks beside each other, as those of a message that is not complete. */
export function flatContents(blocks: readonly unknown[]): readonly object[] {
  return (blocks as readonly ContentBlock[]).flatMap(contentsOf);
}

/** A block that a component in Python made can have no contents. */
function contentsOf({ contents }: Partial<ContentBlock>): readonly object[] {
  return (contents ?? []).map((content) => ({ id: null, ...content, contents: [] }));
}

/** Returns a text as a content beside the groups. */
export function textContent(text: string): object {
  return { type: 'text', ...members, contents: [], text };
}

/** Returns the blocks of an agent's message as it is stored before a chat output stores it: without the output. */
export function withoutOutput(blocks: readonly unknown[]): readonly unknown[] {
  return (blocks as readonly ContentBlock[]).map((block) =>
    block.title === AGENT_STEPS
      ? { ...block, contents: block.contents.filter((one) => !isOutput(one)) }
      : block,
  );
}

/** Returns the blocks of an agent's message with a text behind its steps; other blocks as they are. */
export function withOutput(blocks: readonly unknown[], text: string): readonly unknown[] {
  const given = blocks as readonly ContentBlock[];
  const at = given.findIndex(({ title }) => title === AGENT_STEPS);
  const steps = given[at];
  if (steps === undefined) return blocks;
  const contents = [...steps.contents, { type: 'text', duration: null, header: OUTPUT, text }];
  return given.with(at, { ...steps, contents });
}

function isOutput({ type, header }: Readonly<Record<string, unknown>>): boolean {
  return type === 'text' && (header as { readonly title?: string } | null)?.title === OUTPUT.title;
}
