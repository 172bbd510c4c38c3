/** Whether a trigger limits how many of its events run at a time, in SQL: all but schedules whose runs may overlap. */
export const IS_LIMITED = `NOT (triggers.kind = 'schedule' AND coalesce(readable_json(triggers.config::text) ->> 'overlap_policy', '') = 'allow')`;
