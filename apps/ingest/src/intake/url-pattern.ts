/**
 * Returns what matches the URLs with a path such as `/flows/:flow`, also with a slash at its end. The groups are the values of
 * the parameters, which are still encoded and not empty, and the query without its question mark.
 */
export function urlPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '([^/?]+)')}/?(?:\\?(.*))?$`);
}
