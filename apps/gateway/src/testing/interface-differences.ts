import type { OperationFacts, SchemaFacts } from './interface-facts';

/** Returns where an operation lacks what another one promises, a line each. */
export function operationDifferences(theirs: OperationFacts, ours: OperationFacts): readonly string[] {
  const query = Object.entries(theirs.query ?? {}).flatMap(([name, facts]) => {
    const own = ours.query?.[name];
    return own ? bodyDifferences(facts, own, `query.${name}`) : [`query.${name}: missing`];
  });
  const body = theirs.body ? bodyDifferences(theirs.body, ours.body ?? {}, 'body') : [];
  const answers = Object.entries(theirs.answers).flatMap(([status, facts]) => {
    const own = ours.answers[status];
    return own ? answerDifferences(facts, own, status) : [`${status}: missing`];
  });
  return [...query, ...body, ...answers];
}

/** What a caller sends: the same members, required ones, words and defaults. */
function bodyDifferences(theirs: SchemaFacts, ours: SchemaFacts, path: string): readonly string[] {
  return [
    ...memberDifferences(theirs, ours, path, bodyDifferences),
    ...(theirs.members && ours.members ? differing(path, 'required', theirs.required, ours.required) : []),
    ...differing(path, 'words', theirs.words ?? [], ours.words ?? []),
    ...differing(path, 'default', theirs.default ?? null, ours.default ?? null),
    ...differing(path, 'nullable', theirs.nullable ?? false, ours.nullable ?? false),
    ...(theirs.closed === true && ours.closed !== true ? [`${path}: takes other members`] : []),
  ];
}

/** What a caller reads: members that are always there are always here, and words are among theirs. */
function answerDifferences(theirs: SchemaFacts, ours: SchemaFacts, path: string): readonly string[] {
  const optional = (theirs.required ?? []).filter(
    (name) => theirs.members?.[name] && ours.members?.[name] && !ours.required?.includes(name),
  );
  const { words } = theirs;
  const others = (words && ours.words?.filter((word) => !words.includes(word))) ?? [];
  return [
    ...memberDifferences(theirs, ours, path, answerDifferences),
    ...optional.map((name) => `${path}.${name}: optional`),
    ...(others.length > 0 ? [`${path}: other words ${JSON.stringify(others)}`] : []),
  ];
}

function memberDifferences(
  theirs: SchemaFacts,
  ours: SchemaFacts,
  path: string,
  compare: typeof bodyDifferences,
): readonly string[] {
  // A schema without members takes and gives any.
  const named = ours.members === undefined ? {} : (theirs.members ?? {});
  const members = Object.entries(named).flatMap(([name, facts]) => {
    const own = ours.members?.[name];
    return own ? compare(facts, own, `${path}.${name}`) : [`${path}.${name}: missing`];
  });
  const items = theirs.items && ours.items ? compare(theirs.items, ours.items, `${path}[]`) : [];
  return [...members, ...items];
}

function differing(path: string, what: string, theirs: unknown, ours: unknown): readonly string[] {
  const [left, right] = [JSON.stringify(theirs), JSON.stringify(ours)];
  return left === right ? [] : [`${path}: ${what} ${left}, here ${right}`];
}
