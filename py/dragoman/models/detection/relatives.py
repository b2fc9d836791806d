"""Small words by which languages of no table give themselves away beside the one they look like.

Luxembourgish, Low German, Swiss German, Bavarian and Middle High German are taken for German;
Scots, the English creoles and Tok Pisin for English. Words that German or English texts have too
(two or more in a million of theirs), that are abbreviations, or that people use for colour in
either, are not listed.
"""

from __future__ import annotations

from collections.abc import Mapping

RELATIVES: Mapping[str, str] = {
    "de": """
        ech hunn huet wëll wéi dës ass hien hatt iech vum och nët keng kengem engem iwwer
        ënner tëscht muer gescht dohinner vill méi ginn gëtt goen kënnen musse alleguer elo
        ëmmer eppes näischt déi deem deene säin séng seng hir mäin däin zesummen géif hätt
        kucken schwätzen heff hest hett hebbt keen vun vör tohuus hüüt güstern mien dien ehr
        lüüd lütte maakt kümmt geiht steiht gifft weer sünd bün büst kunn schall schull
        wullt ook dörch över ünner twee jümmers veel woneem woans allns orrer nöd nid händ
        hän gönd gaht gsi gsii gha chunnt chömed chönd chönne chasch öis dä dini sini öppis
        öppe öpper nüüt ond wänn wyl hüüt moorn gärn chli chlii bitzli luege lueg säge gseit
        gseh zäme zemme wüsse grüezi mitenand machsch hesch häsch bisch wott wotsch nöch
        scho nume bim dehei chind huus ziit zyt hod gengan gemma koa koan oane wos dees
        dahoam moang gestan hoid gwen gwest gwesn gsogt gsagt gmacht kimmt kemma schaug sogn
        oiso owa eahm eana aufd diu daz ouch iuch niht unde vil
    """,
    "en": """
        tae frae fae gaun gaunnae gonnae gaes daein dinna didna cannae canna wisna isna
        willna bairn bairns whit whaur wha whan hou hoo oor thon thae thir ilka mair maist
        muckle hame hoose toun doun aboot abuin efter afore atween wis wur wes haes haed gie
        gied gien taen mak makkin richt nicht licht thocht brocht deid breid guid puir braw
        wrang amang twa fower ony awfu awfy fowk fowks warld wark wirk juist jist sae neebor
        mither faither brither sowel greetin hauf naething awbody naebody thaim themsels
        himsel masel mysel dey wetin pikin pipol wahala neva kontri goment pesin govment
        becos shud wud plenti unu inna pon nuh naah cyaan waan gwaan pickney likkle bwoy
        gyal mipela yumi yupela bilong bilongim olsem tasol wanpela tupela dispela
    """,
}


def relatives() -> dict[str, list[str]]:
    """By language of the table; in order, each once."""
    return {language: sorted(set(words.split())) for language, words in RELATIVES.items()}
