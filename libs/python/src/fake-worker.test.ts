import { fakePython } from './testing/fake-python.fixture';
import { describePythonWorker } from './testing/python-worker.contract';

const fake = fakePython();
afterAll(() => fake.remove());

describePythonWorker('a worker that speaks the protocol', () => fake.path);
