/**
 * Makes column names distinct as pandas does: the second `a` becomes `a.1`; a column without a name gets its position.
 */
export function distinctNames(header: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return header.map((given, index) => {
    const name = given === '' ? `Unnamed: ${index}` : given;
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}.${times}`;
  });
}
