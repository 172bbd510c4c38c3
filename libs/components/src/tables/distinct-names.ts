/** Names of columns as pandas makes them distinct: the second `a` is `a.1`, and one without a name goes by its position. */
export function distinctNames(header: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return header.map((given, index) => {
    const name = given === '' ? `Unnamed: ${index}` : given;
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}.${times}`;
  });
}
