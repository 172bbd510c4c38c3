import { postgresHosts, postgresPlace } from './postgres-hosts';

test.each([
  ['postgres://h/db', ['postgres://h/db'], undefined],
  ['postgres://u:p@h1:5433,h2/db', ['postgres://u:p@h1:5433/db', 'postgres://u:p@h2/db'], undefined],
  [
    'postgresql://u:a,b@[::1]:1,h2:2/db?sslmode=require&target_session_attrs=primary',
    ['postgresql://u:a,b@[::1]:1/db?sslmode=require', 'postgresql://u:a,b@h2:2/db?sslmode=require'],
    'primary',
  ],
  ['postgres:///db?host=/run/postgresql', ['postgres:///db?host=/run/postgresql'], undefined],
])('%s has one URL for each host', (address, urls, target) => {
  expect(postgresHosts(address)).toEqual({ urls, target });
});

test.each([
  ['nothing', 'is not a URL'],
  ['postgres://h1,,h3/db', 'has no valid host at place 2'],
  ['postgres://h1:1,h2:99999/db', 'has no valid host at place 2'],
  ['postgres://h/db?host=a,b', 'must name several hosts before the database'],
  ['postgres://h/db?target_session_attrs=best', 'has target_session_attrs=best, which must be any'],
])('%s is refused: %s', (address, problem) => {
  expect(() => postgresHosts(address)).toThrow(problem);
});

test('its place has no password', () => {
  expect(postgresPlace('postgres://u:secret@h1,h2:5433/db?password=secret')).toBe('h1:5432,h2:5433/db');
  expect(postgresPlace('u:secret@h')).toBe('an unreadable address');
});
