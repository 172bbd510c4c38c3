type Block = Readonly<Record<string, unknown>>;

const AGENT_STEPS = 'Agent Steps';

/**
 * Returns content blocks as Langflow's first interface shows them: groups with their contents. Other blocks are left out, but
 * those of an agent that called tools become a group, and a text beside the steps of an agent becomes its last step.
 */
export function legacyBlocks(blocks: readonly object[]): readonly Block[] {
  const all = blocks as readonly Block[];
  const groups = all.filter(isGroup);
  const leaves = all.filter((block) => !isGroup(block));
  if (groups.length === 0 && leaves.some(({ type }) => type === 'tool_use'))
    return [{ title: AGENT_STEPS, contents: leaves.map(leafOf), allow_markdown: true, media_url: null }];
  const answer = leaves
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('');
  const steps = groups.find(({ title }) => title === AGENT_STEPS);
  return groups.map((group) => {
    const { title = null, contents, allow_markdown = true, media_url = null } = group;
    const shown = (Array.isArray(contents) ? (contents as readonly Block[]) : []).map(leafOf);
    const header = { title: 'Output', icon: 'MessageSquare' };
    const last =
      group === steps && answer !== '' ? [{ type: 'text', duration: null, header, text: answer }] : [];
    return { title, contents: [...shown, ...last], allow_markdown, media_url };
  });
}

function isGroup(block: Block): boolean {
  return block['type'] === 'group' || ('title' in block && 'contents' in block && !('type' in block));
}

function leafOf(block: Block): Block {
  return Object.fromEntries(Object.entries(block).filter(([name]) => name !== 'id' && name !== 'contents'));
}
