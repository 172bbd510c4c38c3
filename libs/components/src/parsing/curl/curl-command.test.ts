import { parseCurl } from './curl-command';

const plain = { method: 'GET', headers: {}, body: null, followRedirects: false };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test.each([
  ['curl https://a.test/x', { ...plain, url: 'https://a.test/x' }],
  ['curl -sSL https://a.test', { ...plain, url: 'https://a.test', followRedirects: true }],
  ["curl -X DELETE 'https://a.test/a b'", { ...plain, url: 'https://a.test/a b', method: 'DELETE' }],
  ['curl -XPUT -Hx-a:1 --url a.test', { ...plain, url: 'a.test', method: 'PUT', headers: { 'x-a': '1' } }],
  ['curl a.test -d a=1 -d b=2', { ...plain, url: 'a.test', method: 'POST', headers: form, body: 'a=1&b=2' }],
  ['curl -G a.test?x=0 -d a=1', { ...plain, url: 'a.test?x=0&a=1' }],
  ['curl -I a.test', { ...plain, url: 'a.test', method: 'HEAD' }],
  [
    `curl "https://a.test" \\\n  -H "Content-Type: application/json" \\\n  --data '{"a": "it is \\"so\\""}' --compressed`,
    {
      ...plain,
      url: 'https://a.test',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"a": "it is \\"so\\""}',
    },
  ],
  [
    `curl a.test --json "{\\"a\\":1}" -u me:secret -m 5 -o /dev/null`,
    {
      ...plain,
      url: 'a.test',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: 'Basic bWU6c2VjcmV0',
      },
      body: '{"a":1}',
    },
  ],
  [
    `curl a.test --data-raw $'it\\'s\\n' -A me -b k=v`,
    {
      ...plain,
      url: 'a.test',
      method: 'POST',
      headers: { ...form, 'user-agent': 'me', cookie: 'k=v' },
      body: "it's\n",
    },
  ],
  [
    'curl a.test --data-urlencode "q=a b&c" --data-urlencode "d e"',
    { ...plain, url: 'a.test', method: 'POST', headers: form, body: 'q=a%20b%26c&d%20e' },
  ],
])('%s', (command, expected) => {
  expect(parseCurl(command)).toEqual(expected);
});

test.each([
  ['wget a.test', 'Error parsing curl: the command does not begin with "curl"'],
  ['curl', 'Error parsing curl: the command has no URL'],
  ['curl -X', 'Error parsing curl: the option --request has no value'],
  ["curl 'a.test", 'Error parsing curl: No closing quotation'],
  ['curl a.test -d @/etc/passwd', 'Error parsing curl: data from a file is not supported'],
  ['curl a.test --data-urlencode x@/etc/passwd', 'Error parsing curl: data from a file is not supported'],
  ['curl a.test -F a=@b', 'Error parsing curl: the option --form is not supported'],
  ['curl -x proxy.test a.test', 'Error parsing curl: the option --proxy is not supported'],
])('rejects %s', (command, reason) => {
  expect(() => parseCurl(command)).toThrow(reason);
});

test('takes linear time for many words', () => {
  expect(parseCurl(`curl a.test${' -s'.repeat(300_000)}`)).toEqual({ ...plain, url: 'a.test' });
});
