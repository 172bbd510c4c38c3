import { originForm } from './origin-form';

test.each([
  ['/a/b?c=http://d/e', '/a/b?c=http://d/e'],
  ['http://host:7860/a/b?c=d', '/a/b?c=d'],
  ['HTTPS://[::1]/a', '/a'],
  ['http://host', '/'],
  ['http://host?a=b', '/?a=b'],
  ['http://user@host//a', '//a'],
  ['//host/a', '//host/a'],
  ['*', '*'],
  ['host:443', 'host:443'],
  ['', ''],
])('%s is %s', (target, expected) => {
  expect(originForm(target)).toBe(expected);
});
