import { testPython } from './testing/test-python.fixture';
import { describePythonWorker } from './testing/python-worker.contract';

describePythonWorker('the sealed Python worker', testPython, { seal: { level: 'required' } });
