import { urlPattern } from './http-answers';

const pattern = urlPattern('/api/v1/flows/:flow/runs/:run_id');

test.each([
  ['/api/v1/flows/a/runs/b', ['a', 'b', undefined]],
  ['/api/v1/flows/a/runs/b/', ['a', 'b', undefined]],
  ['/api/v1/flows/a%2Fb/runs/%zz', ['a%2Fb', '%zz', undefined]],
  ['/api/v1/flows/a/runs/b?', ['a', 'b', '']],
  ['/api/v1/flows/a/runs/b/?x=/?y', ['a', 'b', 'x=/?y']],
])('%s has the values %j', (url, values) => {
  expect(pattern.exec(url)?.slice(1)).toEqual(values);
});

test.each([
  '',
  '/api/v1/flows/a/runs',
  '/api/v1/flows/a/runs/',
  '/api/v1/flows//runs/b',
  '/api/v1/flows/a/runs/b//',
  '/api/v1/flows/a/runs/b/c',
  '/api/v1/flows/a/runs?/b',
  '/x/api/v1/flows/a/runs/b',
])('"%s" does not match', (url) => {
  expect(pattern.test(url)).toBe(false);
});
