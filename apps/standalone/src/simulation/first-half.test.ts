import * as simulatedTimers from './simulated-timers-promises';
import { describeSimulation } from './describe-simulation';

// The code under test waits with Node's promise timers in places; the simulation's clock must move those, too.
jest.mock('node:timers/promises', () => simulatedTimers);

describeSimulation('first');
