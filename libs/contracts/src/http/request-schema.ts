/**
 * A JSON Schema of a request body. Besides the standard keywords it may carry annotations that say how a fault is
 * told in FastAPI's shape:
 *
 * - `x-model: true` on an object: a missing or wrong value is reported as a model's, not as a plain dictionary's.
 * - `x-class: "Name"` on an object: a wrong value is reported as no instance of that class.
 * - `x-tweak: true`: a value of the wrong type is reported once for each type a tweak may have.
 * - `x-enum: true`: a wrong word is reported as that of an enumeration, not of a literal.
 * - `x-flag: true`: a boolean that may also come as one of the words pydantic takes (`on`, `no`, `1`, …);
 *   `x-flag: "optional"` takes null as well.
 * - `x-integer: true`: an integer that may also come as text, or null.
 * - `x-date-time: true`: a point in time as text or Unix seconds, or null.
 * - `x-flow-data: true`: nodes and edges must be there unless the object is empty.
 * - `x-told-as: "…"`: whatever is wrong with the value is told in these words.
 * - `x-public: {…}`: keywords of the published schema alone; the route checks them and answers in its own words.
 * - `format`: `uuid`, `endpoint-name` and `pool-name` as the gateway defines them.
 *
 * Members are declared in the order in which Langflow declares them: faults are told in that order.
 */
export type RequestSchema = Readonly<Record<string, unknown>>;
