import { accessLogSetting, readSettings } from '../index';

const read = (text?: string) =>
  readSettings(
    { MILLRACE_ACCESS_LOG: accessLogSetting },
    text === undefined ? {} : { MILLRACE_ACCESS_LOG: text },
  );

test.each([
  [undefined, { errors: true, share: 1 }],
  ['off', { errors: false, share: 0 }],
  ['errors', { errors: true, share: 0 }],
  ['all', { errors: true, share: 1 }],
  ['0.25', { errors: true, share: 0.25 }],
  ['0', { errors: true, share: 0 }],
  ['1', { errors: true, share: 1 }],
])('%s is read as a rule', (text, rule) => {
  expect(read(text).MILLRACE_ACCESS_LOG).toEqual(rule);
});

test.each(['some', '1.5', '-1', '0.5.5'])('%s is refused', (text) => {
  expect(() => read(text)).toThrow();
});
