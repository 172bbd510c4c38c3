import { retentionSetting } from './retention-setting';

test('names kinds with their days', () => {
  expect(retentionSetting.parse(' messages=36500, vertexRecords = 1,')).toEqual({
    messages: 36_500,
    vertexRecords: 1,
  });
  expect(retentionSetting.parse('')).toEqual({});
  expect(retentionSetting.absent).toEqual({});
});

test.each([
  ['runs=7', 'must name messages, vertexRecords, files, each with its days, as in messages=90'],
  ['90', 'must name messages, vertexRecords, files, each with its days, as in messages=90'],
  ['files', 'must give files a number of days from 1 to 36500'],
  ['files=0', 'must give files a number of days from 1 to 36500'],
  ['files=36501', 'must give files a number of days from 1 to 36500'],
  ['messages=1.5', 'must give messages a number of days from 1 to 36500'],
])('refuses %s', (text, problem) => {
  expect(() => retentionSetting.parse(text)).toThrow(problem);
});
