/**
 * An object that components pass to each other, such as a configured model or a tool. It has a class name but no text,
 * because it can contain keys. `libs/flow` defines what each kind contains.
 */
export interface Handle {
  readonly kind: HandleKind;
}

type HandleKind = 'language-model' | 'embeddings' | 'tool' | 'retriever' | 'part';

/** The member that distinguishes a handle of a kind from a dict with a `kind`, and its type. */
const members: Readonly<Record<HandleKind, { readonly name: string; readonly type?: string }>> = {
  'language-model': { name: 'settings' },
  embeddings: { name: 'settings' },
  tool: { name: 'call', type: 'function' },
  retriever: { name: 'search', type: 'function' },
  part: { name: 'content', type: 'object' },
};

/** Returns true for a handle of any kind. */
export function isHandle(value: unknown): value is Handle {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const { kind } = value;
  if (typeof kind !== 'string' || !isKind(kind)) return false;
  const { name, type } = members[kind];
  return name in value && (type === undefined || typeof (value as Record<string, unknown>)[name] === type);
}

function isKind(kind: string): kind is HandleKind {
  return Object.hasOwn(members, kind);
}
