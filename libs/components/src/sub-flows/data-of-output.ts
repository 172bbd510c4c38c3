import { Data, Message, messageData, toData } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/flow';

/** Returns a flow's output as data; a message with all its fields. */
export function dataOfOutput(value: PythonValue): Data {
  return value instanceof Message ? new Data(messageData(value) as unknown as PythonObject) : toData(value);
}
