import { poolSettings } from './pool-settings';

const values = {
  MILLRACE_PYTHON_FOLDER: '',
  MILLRACE_PYTHON_SEAL: 'required',
  MILLRACE_PYTHON_PROCESSES: 2,
  MILLRACE_PYTHON_READY_PROCESSES: 5,
  MILLRACE_PYTHON_REUSE: 'never',
  MILLRACE_PYTHON_WAIT_SECONDS: 6,
} as const;
const place = { python: '/venv/bin/python', workerFolder: '/worker' };

test('the settings of a service are those of its pool', () => {
  expect(poolSettings(values, place)).toMatchObject({
    ...place,
    folder: null,
    maximumProcesses: 2,
    readyProcesses: 2,
    reuse: 'never',
    seal: { level: 'required' },
    limits: { waitMilliseconds: 6_000 },
  });
});
