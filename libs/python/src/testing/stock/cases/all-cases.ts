import type { ComponentCase } from '../component-case';
import * as control from './control';
import * as converters from './converters';
import * as data from './data';
import * as inputOutput from './input-output';
import * as memory from './memory';
import * as tables from './tables';
import * as text from './text';
import * as textOperations from './text-operations';
import * as utilities from './utilities';

const families = [control, converters, data, inputOutput, memory, tables, text, textOperations, utilities];

/** Cases that run each stock component twice: natively and as the class of lfx. */
export const allCases: readonly ComponentCase[] = families.flatMap((family) => Object.values(family).flat());
