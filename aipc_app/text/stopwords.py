"""Words of a question that say nothing about where the answer stands."""

_CHINESE = """
的 了 是 在 和 与 及 或 而 也 都 就 又 还 把 被 让 给 对 从 向 到 为 由 于 以 之 其 该 此 这 那 有
没有 不 吗 呢 吧 啊 呀 么 什么 甚么 多少 几 几个 几时 是否 哪 哪个 哪些 哪里 哪儿 哪一 谁 怎么 怎样
如何 怎么样 怎么办 为何 为什么 何 何时 何地 何种 何人 什么样 什么时候 多久 多长 多大 多长时间 请
请问 请告诉 告诉 我 你 您 他 她 它 我们 你们 他们 本人 一下 一个 一些 这个 那个 这些 那些 能 能否
可否 可以 会 要 想 说 请说明 分别 具体 到底 究竟 有没有 是不是 时候 所 者 并 但 若 如果 则 即 请列
列出 说明 有关 关于
"""
_ENGLISH = """
a an the and or but if of to in on at by for from with as is are was were be been being am do does
did done doing has have had having can could may might must shall should will would this that these
those there here it its he she they them his her their we us our you your i me my what which who
whom whose when where why how much many any some no not so than then too very s t please tell about
into over under between during also just only own such
"""
CHINESE_STOP_WORDS = frozenset(_CHINESE.split())
ENGLISH_STOP_WORDS = frozenset(_ENGLISH.split())
