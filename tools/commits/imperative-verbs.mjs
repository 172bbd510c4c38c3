/**
 * Verbs that the subject of a commit can begin with, in the imperative. No rule tells "add" from "address" or "adds" from
 * "pass"; add a verb that is missing.
 */
export const IMPERATIVE_VERBS = new Set(
  `accept acknowledge adapt add adjust adopt advise align allow answer apply ask assert assign attach avoid batch begin
  bound bring build bump bundle cache call cancel cap carry change check choose clarify clean clear close collect combine
  commit compare compile complete compress compute configure confirm connect convert copy correct count cover create cut
  cycle decide declare decline decode deduplicate default define delay delete deliver demand deny depend deploy deprecate
  derive describe detach detect determine disable discard disconnect distinguish divide document download drain draw
  drop edit embed empty enable encode encrypt end enforce ensure enter erase escape estimate examine exclude execute
  exempt exit expand expect expire explain export expose extend extract fail fetch fill filter find finish fix flush
  follow forbid force forget format forward free freeze generate get give group guard guide handle hash hide hold honour
  ignore implement import improve include increase index infer ingest inherit initialize inject inline insert inspect
  install interrupt introduce invalidate invert isolate join keep kill label lead leave lengthen let lift limit link
  lint list listen load localize lock log look lower make map mark mask match measure mend merge migrate mirror mount
  move name narrow normalize note notify number observe offer omit open optimize order overlap own page parse pass
  pause pin place plan point poll postpone prefer prefix prepare preserve prevent print process produce promise protect
  prove provide prune publish pull put qualify query queue quote raise read rebuild recognise reconnect record recover
  redact redirect reduce refactor refer refresh refuse reject release reload remove rename render reorder repair repeat
  rephrase replace replay reply report require rerun reserve reset resolve respect restart restore restrict resume
  retire retry return reuse revert review revise reword rewrite rotate round route run sample save say scale schedule
  search seed select send separate serve set settle share shorten show shrink shut sign signal simplify simulate skip sort
  speed split stage start state stop store stream strengthen strip support suppress swap switch synchronize take tell
  test throw tie tighten time tolerate trace track translate treat trim try tune turn type unify unlock update upgrade
  upload use validate verify wait wake walk warn watch weaken widen withdraw word wrap write`.split(/\s+/),
);
