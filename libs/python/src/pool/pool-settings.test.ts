import { poolSettings } from './pool-settings';

const values = {
  MILLRACE_PYTHON_FOLDER: '',
  MILLRACE_PYTHON_SEAL: 'required',
  MILLRACE_PYTHON_PROCESSES: 2,
  MILLRACE_PYTHON_READY_PROCESSES: 5,
  MILLRACE_PYTHON_REUSE: 'never',
  MILLRACE_PYTHON_KEEP_SECONDS: 30,
  MILLRACE_PYTHON_MEMORY_BYTES: 1,
  MILLRACE_PYTHON_CPU_SECONDS: 2,
  MILLRACE_PYTHON_FILE_BYTES: 3,
  MILLRACE_PYTHON_THREADS: 4,
  MILLRACE_PYTHON_OPEN_FILES: 5,
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
    seal: { level: 'required', memoryBytes: 1, cpuSeconds: 2, filesBytes: 3, processes: 4, openFiles: 5 },
    limits: { waitMilliseconds: 6_000, keepMilliseconds: 30_000 },
  });
});
