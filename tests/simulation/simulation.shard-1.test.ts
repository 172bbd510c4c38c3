import { propertyCases } from '@millrace/service/testing';
import * as simulatedTimers from './simulated-timers-promises';
import { describeSimulation } from './describe-simulation';

// The code under test also uses Node's promise timers, so these must follow the simulated clock.
jest.mock('node:timers/promises', () => simulatedTimers);

describeSimulation(1, propertyCases(2_000, 40));
