"""What sentence splitting knows of a language: data only, written by hand for this project.

An abbreviation is listed without its final stop and without inner white space: "z.B" stands for
"z.B.", "z. B." and "z.\\u00a0B.". Its kind says what a stop after it means:

    kind      followed by             sentence ends?      examples
    LEADING   anything                never               "Dr. Who", "z. B. Die Zeit"
    NUMBERED  a number                no                  "No. 5", "S. 225", "Abs. II"
              another word            yes                 "No. That is wrong."
    OPEN      a `starter`             yes                 "in the U.S. How about you?"
              another word, a number  no                  "the U.S. Army", "Jan. 5"
    CLOSING   a capital               yes, unless it is   "at 6 p.m. Mr. Smith left."
                                      a `continuation`    "at 6 p.m. Eastern"

Starters are words that are capitalized because they begin a sentence: function words, never names
(so neither "Will" nor "May"). A language that is not listed gets the default, which has no
starters: no abbreviation ends a sentence there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Abbreviation(StrEnum):
    """What may follow the stop of an abbreviation; see the table above."""

    LEADING = "leading"
    NUMBERED = "numbered"
    OPEN = "open"
    CLOSING = "closing"


@dataclass(frozen=True, slots=True)
class OrdinalRules:
    """Of a language that writes "3." for "third" before words with a capital.

    Attributes:
        leads: words before an ordinal ("am 3. Oktober"), lower case.
        nouns: words after an ordinal ("der 3. Oktober").
    """

    leads: frozenset[str]
    nouns: frozenset[str]


@dataclass(frozen=True, slots=True)
class LanguageRules:
    """The tables of one language.

    Attributes:
        abbreviations: the kind of each.
        starters: capitalized words that begin a sentence.
        continuations: capitalized words that go on after a CLOSING abbreviation.
        ordinals: None where a number and a stop is no ordinal before a capital.
        casual: words that begin a sentence in lower case, as in a chat; where there are any, a
            question mark ends a sentence whatever follows. Not for languages whose dialogues do
            without quotes ("– Quoi ? dit-il.").
        semicolon_asks: whether ";" is the question mark, as Greek has it.
        vowelless: whether a lower-case word without a vowel is taken for an abbreviation.
    """

    abbreviations: Mapping[str, Abbreviation]
    starters: frozenset[str] = frozenset()
    continuations: frozenset[str] = frozenset()
    ordinals: OrdinalRules | None = None
    casual: frozenset[str] = frozenset()
    vowelless: bool = True
    semicolon_asks: bool = False


def rules_for(language: str) -> LanguageRules:
    """The rules of a BCP 47 tag; only its first subtag counts: "de-AT" is "de"."""
    return _RULES.get(language.replace("_", "-").split("-", 1)[0].lower(), _DEFAULT)


def _table(
    leading: str = "", numbered: str = "", open_: str = "", closing: str = ""
) -> Mapping[str, Abbreviation]:
    table = dict.fromkeys(_COMMON.split(), Abbreviation.LEADING)
    table |= dict.fromkeys(open_.split(), Abbreviation.OPEN)
    table |= dict.fromkeys(closing.split(), Abbreviation.CLOSING)
    table |= dict.fromkeys(numbered.split(), Abbreviation.NUMBERED)
    table |= dict.fromkeys(leading.split(), Abbreviation.LEADING)
    return table


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COMMON = "Dr Prof Mr Mrs Ms St Mt Sgt Lt Cmdr Capt vs"  # found in texts of any language

# --- English ---------------------------------------------------------------------------------

_ENGLISH = LanguageRules(
    abbreviations=_table(
        leading="""
            Dr Drs Prof Mr Mrs Ms Mx Messrs Mmes Mme Mlle Msgr Fr Rev Hon Gov Govs Sen Sens Rep Reps
            Pres Amb Supt Adm Brig Capt Cdr Cmdr Col Cpl Gen Lt Maj Pvt Sgt Insp Det Atty e.g eg i.e
            ie cf viz vs v approx esp incl excl resp aka a.k.a c.f Lt.Col Maj.Gen
        """,
        numbered="""
            No Nos no nos Nr N° n° p pp P Pp para paras Fig Figs fig figs Sec Secs sec Sect Ch Chs
            ch chap Chap Vol Vols vol vols Art Arts Eq Eqs eq Tab Ref Refs ver Op op Ex ex § Ln col
            l ll ca c circa Tel tel Ext ext Nt n pl Pl Rs Re Bs Kr kr Rp Ft Ksh Tabs
        """,
        open_="""
            U.S U.S.A US.A U.K U.N E.U U.S.S.R U.A.E D.C N.Y L.A P.O B.C A.D B.C.E C.E Ph.D M.D B.A
            M.A B.Sc M.Sc D.Phil LL.B LL.M J.D M.B.A R.N Esq Jr Sr Inc Ltd Co Cos Corp Bros Mfg LLC
            L.L.C P.L.C Assn Dept Univ Inst Natl Intl Acad Hosp St Ste Mt Mts Ft Pt Ave Blvd Rd Sq
            Hwy Pkwy Bldg Apt Rm Cres Terr co al ed eds Ed Eds trans transl rev repr orig est Est
            Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri avg
            max min misc dept temp hr hrs mins secs yr yrs wk wks mo mos oz lb lbs ft sq cu mph Ala
            Ariz Ark Calif Colo Conn Del Fla Ill Ind Kan Ky La Md Mich Minn Mo Mont Neb Nev Okla Ore
            Pa Penn Tenn Tex Wm Vt Va Wash Wis Wyo Ont Que
        """,
        closing="a.m p.m A.M P.M etc Etc",
    ),
    starters=_words("""
        The This That These Those It He She We They You I There Here A His Her Its Our Your Their My
        In On At By For From With Without Within Under Over Between Among After Before During Since
        Until Throughout Through Into Upon Above Below Behind Across Against Despite Due Like Unlike
        When While Where Why How What Who Whom Whose Which Whether If Although Though Because Unless
        Once As And But Or So Yet Nor Then Thus Therefore Hence However Moreover Furthermore
        Meanwhile Nevertheless Nonetheless Otherwise Additionally Also Again Still Instead Indeed
        Perhaps Maybe Finally Later Soon Now Today Yesterday Tomorrow Recently Currently Usually
        Often Sometimes Always Never Only Even Just Almost Nearly About According Another Other Such
        Some Any Many Much Most Several Few Both Each Every Either Neither All None Nobody Nothing
        Everyone Everything Someone Something Anyone Not No Yes Please Let Is Isn Are Aren Was Wasn
        Were Did Didn Does Doesn Do Don Has Hasn Have Haven Had Can Cannot Could Couldn Should
        Shouldn Would Wouldn Won Am First Second Third Two Three Four More Less To Of Unfortunately
        Fortunately
    """),
    casual=_words("""
        i im i'm you he she it we they what when where who why how can could do does did is are will
        would should that this there its it's so also but please thanks thank ok okay yes yeah no
        great sure hello hi let let's any anything
    """),
    continuations=_words("""
        Eastern Central Mountain Pacific Atlantic Greenwich Monday Tuesday Wednesday Thursday Friday
        Saturday Sunday January February March April May June July August September October November
        December ET EST EDT CT CST CDT MT MST MDT PT PST PDT GMT UTC BST CET CEST MEZ MESZ IST JST
    """),
)

# --- German ----------------------------------------------------------------------------------

_GERMAN = LanguageRules(
    abbreviations=_table(
        leading="""
            Dr Prof Mr Mrs Ms Hr Hrn Fr Frl Dipl Ing Mag Priv Doz Doc Akad Hl hl med phil jur rer
            nat pol oec theol h.c habil vet dent Bacc Msgr Geh OStR StR MdB MdL Gebr Fam z.B d.h d.i
            i.e i.d.R m.a.W m.E u.U z.T z.Z z.Zt z.Hd z.Hdn o.g s.g u.g sog sogen bzw bspw bsp
            beispw vgl Vgl ca cca zirka evtl ev ggf ggfs gegebenenf insb insbes inkl exkl einschl
            ausschl zzgl zuzügl abzgl abzügl gem lt wg bzgl bez betr Betr hinsichtl i.S i.S.d i.S.v
            i.V.m i.H.v i.R.d i.Z.m a.d a.M v.a vs entspr ehem eigtl urspr ungef mind max mtl
            jährl monatl tägl wöchentl stdl frz engl dt österr schweiz ital span lat griech russ
            amerik jap chin türk poln kath evang gesetzl rechtl zw lfd geb gest verh gesch verw gegr
            erschl hrsg übers überarb erw unveränd gek Übers Univ geg Ggf Bzgl allg altgr mhd ahd
            nhd Reg Bgm Fa mult Anf
        """,
        numbered="""
            Nr Nrn Nro No N° n° S p pp Abs Art Artt Aufl Bd Bde Bl Kap Tab Abb Abt Ziff Ziffer Lit
            lit Pkt Par Rn Rdn Rdnr Rz Fn Anm Anl Anh Drs BT-Drs Az Tel Fax Mob Tfl Taf Sp Jg Jgg
            Jahrg Vol Vers Ver Ausg H Hft Kl Kfz PLZ Postf Op op Tz Zi Whg § Hs Bj
        """,
        open_="""
            Jan Feb Febr Mrz Apr Jun Jul Aug Sep Sept Okt Nov Dez Mo Di Mi Do Fr Sa So Mio Mrd
            Tsd Stk min St Std Stdn Min Sek Mon Jh Jhd Jhdt Jhdts Jhs Jt Chr v.Chr n.Chr v.u.Z n.u.Z
            u.Z Gen Sgt Lt Col Capt Cmdr Wm
            Str Pl Co Cie Inc Corp Ltd Jr jr Sr sen jun Sen e.V e.G a.D i.R i.V i.A a.G m.b.H e.K Kt
            Bez Bhf Hbf Rheinl Westf Württ Obb Ndb Opf Ofr Ufr Mfr Thür Meckl Niedersachs Hg Hrsg
            Verl Vlg Verf Bearb Mitarb Forts vorl Zus Mitgl Abschn Unterabschn Bsp Def Erl Erw Ew
            Einw ff f al et.al Nachf Inh Geschf Vors stellv Stv Ass Assist kfm Sekt Inst Ges
            Gesellsch Anw RA U.S U.S.A U.K D.C u.a u.A u.ä u.Ä o.ä o.Ä o.a u.dgl dgl s.o s.u a.a.O
            ebd ebda ib ibd u.ö p.a o.J o.O b.w M.A B.A M.Sc B.Sc Ph.D ü.NN ü.M qm Ztr Pfd Kto
            Art-Nr Gr Vj
        """,
        closing="usw usf etc u.s.w u.s.f u.v.m u.v.a u.v.a.m u.a.m",
    ),
    starters=_words("""
        Der Die Das Dem Den Des Er Sie Es Wir Ihr Ich Du Man Ein Eine Einen Einem Einer Eines In Im
        Ins Am Ans Auf Aus Außer Bei Beim Mit Mithilfe Nach Von Vom Vor Zu Zum Zur Für Durch Gegen
        Ohne Um Unter Über Seit Während Wegen Trotz Zwischen Neben Hinter Anhand Aufgrund Angesichts
        Anstatt Statt Innerhalb Außerhalb Gegenüber Laut Entlang Und Oder Aber Denn Doch Sondern
        Sowohl Weder Entweder Auch Dann Da Dabei Dadurch Dafür Dagegen Daher Dahinter Damals Damit
        Danach Daneben Dank Daran Darauf Daraus Darin Darüber Darum Darunter Davon Davor Dazu
        Dazwischen Deshalb Deswegen Dies Diese Dieser Dieses Diesem Diesen Dort Dorthin Hier Hierbei
        Hierfür Hiermit Hierzu Hiervon Heute Gestern Jetzt Nun Nur Noch Schon So Somit Sogar Soweit
        Sofern Sobald Solange Sollte Sollten Bereits Bis Bitte Wenn Weil Wer Wen Wem Wessen Was Wo
        Wohin Woher Wie Wieso Wann Warum Weshalb Welche Welcher Welches Welchen Ob Obwohl Obgleich
        Nachdem Bevor Ehe Indem Dass Falls Als Alle Alles Allen Aller Einige Einiges Viele Vieles
        Manche Manchmal Mehrere Jede Jeder Jedes Jeden Jedem Jemand Niemand Etwas Kein Keine Keiner
        Keinen Nicht Nichts Nie Niemals Sein Seine Seinen Seiner Ihre Ihren Ihrem Ihrer Mein Meine
        Meinen Dein Deine Unser Unsere Unseren Euer Eure Ist Sind War Waren Wäre Hat Haben Hatte
        Hatten Wird Werden Wurde Wurden Würde Kann Kannst Können Könnte Konnte Muss Müssen Soll
        Sollen Darf Dürfen Will Wollen Möchte Möchten Gibt Gab Geht Habe Bin Bist Seid Lass Lassen
        Allerdings Außerdem Insgesamt Zudem Dennoch Jedoch Trotzdem Vielleicht Leider Natürlich
        Selbst Selbstverständlich Zwar Zunächst Zuerst Zuletzt Schließlich Später Zuvor Vorher
        Nachher Inzwischen Anschließend Mittlerweile Wenige Wobei Wodurch Wofür Wogegen Womit Worauf
        Woran Worin Worüber Ebenso Ebenfalls Ferner Weiterhin Weitere Weiter Weiters Mehr Meist
        Meistens Oft Immer Wieder Einmal Erst Endlich Eigentlich Eben Jedenfalls Ja Nein Also
        Andererseits Einerseits Anders Andere Anderen Bislang Bisher Derzeit Zurzeit Demnach
        Dementsprechend Gleichzeitig Gleichwohl Hingegen Folglich Kurz Lediglich Sicher Sonst
        Stattdessen Tatsächlich Überdies Übrigens Ungefähr Rund Knapp Etwa Zusätzlich Zwei Drei Vier
        Derselbe Dieselbe Jene Jener Jenes Solche Solcher Beide Beides Deren Dessen Deutlich Ganz
        Sehr
    """),
    casual=_words("""
        ich du er sie es wir ihr was wann wo wer wie warum wieso welche welcher kann kannst können
        könnte könnten ist sind hast haben soll sollte das dann aber also bitte danke ok okay ja
        nein gut super toll sicher gibt möchtest möchten hallo vielen
    """),
    ordinals=OrdinalRules(
        leads=_words("""
            an auf der die das dem den des ein eine einem einen einer am im vom zum zur beim ins bis
            ab seit und oder sowie als jeder jede jedes jeden jedem dieser diese dieses diesem
            diesen sein seine seinen seinem seiner ihr ihre ihren ihrem ihrer mein meine meinen
            meinem meiner unser unsere unseren dein deine deinen nach vor zwischen gegen montag
            dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so
        """),
        nouns=_words("""
            Januar Jänner Februar Feber März April Mai Juni Juli August September Oktober November
            Dezember Jan Feb Febr Mrz Apr Jun Jul Aug Sep Sept Okt Nov Dez Jahrhundert Jahrhunderts
            Jahrhunderte Jahrhunderten Jh Jhd Jhdt Jahrtausend Jahrtausends Lebensjahr Lebensjahres
            Lebensmonat Geburtstag Geburtstages Geburtstags Todestag Jahrestag Jubiläum Weltkrieg
            Weltkrieges Weltkriegs Bundesliga Liga Ligen Platz Rang Runde Spieltag Spieltages Minute
            Spielminute Halbzeit Klasse Klassen Stock Stockwerk Etage Obergeschoss OG UG Auflage
            Ausgabe Band Kapitel Teil Abschnitt Absatz Satz Schritt Stufe Staffel Folge Semester
            Quartal Halbjahr Woche Schwangerschaftswoche SSW Tag Monat Jahr Mal Person Grad Grades
            Grads Ordnung Generation Mannschaft Bezirk Legislaturperiode Wahlperiode Senat
            Zivilsenat Strafsenat Kammer Infanterie-Division Division Armee Armeekorps Bataillon
            Regiment Kongress Symphonie Sinfonie Klavierkonzert Akt Szene Advent Adventssonntag
            Sonntag Bundestag Bundesversammlung Internationalen Internationale Olympischen FC SC
            Stelle
        """),
    ),
)

# --- Others: short lists -----------------------------------------------------------------------

_FRENCH = LanguageRules(
    abbreviations=_table(
        leading="M MM Mme Mmes Mlle Mlles Dr Pr Me Mgr Ste St env cf c.-à-d c-à-d ex p.ex par.ex",
        numbered="n° N° no No art Art al p pp chap fig Fig vol t tél Tél tabl § éd",
        open_="""
            janv févr avr juil sept oct nov déc av apr bd boul Cie J.-C S.A É.-U U.S U.S.A O.N.U hab
            ibid coll dir trad Jr Inc
        """,
        closing="etc",
    ),
    starters=_words("""
        Le La Les Un Une Des Du De Il Elle Ils Elles On Nous Vous Je Tu Ce Cet Cette Ces Cela Ça Mon
        Ma Mes Son Sa Ses Notre Nos Votre Vos Leur Leurs En Dans Sur Sous Pour Par Avec Sans Chez
        Depuis Pendant Après Avant Entre Vers Malgré Selon Et Mais Ou Or Donc Car Puis Ainsi Alors
        Aussi Cependant Toutefois Pourtant Quand Lorsque Si Comme Comment Pourquoi Qui Que Quoi Où
        Quel Quelle Tout Tous Toute Toutes Plusieurs Chaque Aucun Aucune Ici Là Aujourd L C D J N S
    """),
)
_SPANISH = LanguageRules(
    abbreviations=_table(
        leading="EE Sr Sra Srta Sres Dr Dra D Dª Don Prof Lic Ing Gral Cnel p.ej ej Fr Sta Sto",
        numbered="""
            n.º núm Núm N° n° nº pág págs Pág art Art cap vol fig Fig tab Tab tel Tel t § ene feb
            mar abr may jun jul ago sep sept set oct nov dic lun mié jue vie sáb dom Bs S/ Rs pta
            ptas RD$ apdo No no Ext ext USD EUR MXN Pts pts
        """,
        open_="a.C d.C UU S.A Ud Uds Vd Vds Av Avda c C Cía aprox ed hab a.m p.m U.S",
        closing="etc",
    ),
    starters=_words("""
        El La Los Las Un Una Unos Unas Lo Él Ella Ellos Ellas Yo Tú Usted Ustedes Nosotros Este Esta
        Estos Estas Ese Esa Eso Esto Aquel Aquella Su Sus Mi Mis Nuestro Nuestra En De Del Al A Con
        Sin Por Para Según Sobre Desde Hasta Entre Durante Tras Y E O Pero Sino Aunque Porque Si
        Cuando Donde Como Cómo Qué Quién Cuál Así Además También Después Antes Luego Hoy Ayer Ahora
        Ya No Sí Todo Todos Toda Todas Cada Muchos Algunos Otro Otra Hay Es Son Fue Se Le Les
    """),
)
_ITALIAN = LanguageRules(
    abbreviations=_table(
        leading="""
            Sig Sigg Sigra sig sigg sigra Dott dott Dottssa Dr Prof Ing Avv avv Arch arch Geom geom
            On Mons S p.es es cfr prof
        """,
        numbered="n nn N° n° nr pag pagg p pp art artt cap vol fig Fig tel Tel sez sec secc §",
        open_="""
            a.C d.C S.p.A S.r.l U.S.A gen genn feb febbr mar apr mag giu lug ago set ott nov dic ca
            ed
        """,
        closing="ecc etc",
    ),
    starters=_words("""
        Il Lo La I Gli Le Un Uno Una Nel Nella Nei Nelle Negli Del Della Dei Delle Degli Al Alla Ai
        Alle Dal Dalla Sul Sulla In Di A Da Con Su Per Tra Fra E Ed Ma O Però Anche Se Quando Come
        Dove Perché Chi Che Cosa Quale Questo Questa Questi Queste Quello Quella Io Tu Lui Lei Noi
        Voi Loro Egli Essa Suo Sua Mio Mia Non Dopo Prima Durante Secondo Oggi Ieri Ora Poi Così
        Inoltre Tuttavia Infatti Ogni Tutti Tutto Molti Alcuni È Sono Era Si Ci L
    """),
)
_DUTCH = LanguageRules(
    abbreviations=_table(
        leading="""
            dhr mevr mw Mw dr Dr drs ir ing mr prof Prof ds bijv b.v d.w.z d.i m.a.w o.a i.p.v i.v.m
            m.b.t t.o.v t.a.v ca resp zgn vgl incl excl evt St
        """,
        numbered="nr Nr nrs blz p pp art Art hfdst vol fig Fig tel Tel no No §",
        open_="""
            v.Chr n.Chr jl jan feb mrt apr jun jul aug sep sept okt nov dec a.s e.d mln mld B.V N.V
            U.S U.S.A
        """,
        closing="enz etc e.a",
    ),
    starters=_words("""
        De Het Een Hij Zij Ze Wij We Jij Je U Ik Dit Dat Deze Die Er Daar Hier In Op Aan Bij Met
        Voor Van Na Naar Om Over Onder Tegen Tijdens Door Uit Tot Sinds Volgens En Maar Of Want Dus
        Toch Ook Als Toen Wanneer Waar Waarom Hoe Wie Wat Welke Omdat Hoewel Terwijl Zijn Haar Mijn
        Onze Hun Nu Dan Daarna Daarom Alle Veel Sommige Elke Niet Geen Is Was Heeft Kan
    """),
)
_PORTUGUESE = LanguageRules(
    abbreviations=_table(
        leading="Sr Sra Srs Sras Dr Dra Drs Prof Profa Eng Exmo Exma D p.ex Mons Pe Sto Sta",
        numbered="n.º nº N° n° núm pág págs p pp art Art cap vol fig Fig tel Tel §",
        open_="""
            a.C d.C E.U.A EUA U.S S.A Ltda Cia Av R aprox ed jan fev mar abr jun jul ago set out nov
            dez
        """,
        closing="etc",
    ),
    starters=_words("""
        O A Os As Um Uma Ele Ela Eles Elas Eu Tu Você Vocês Nós Este Esta Estes Estas Esse Essa Isso
        Isto Aquele Aquela Seu Sua Seus Suas Meu Minha No Na Nos Nas Em De Do Da Dos Das Ao À Com
        Sem Por Pelo Pela Para Segundo Sobre Desde Até Entre Durante Após Depois Antes E Mas Ou
        Porém Embora Porque Se Quando Onde Como Que Quem Qual Assim Também Além Hoje Ontem Agora Não
        Todo Todos Cada Muitos Alguns Outro Há É São Foi
    """),
)
_POLISH = LanguageRules(
    abbreviations=_table(
        leading="""
            dr Dr prof Prof mgr inż hab lek ks św o gen płk mjr kpt por np tzn tj m.in tzw ok ul al
            pl im p pt zob wg ds ww
        """,
        numbered="nr Nr s str art ust pkt poz t tom rozdz rys tab tel §",
        open_="r w n.e p.n.e godz min mln mld tys zł gr ur zm jr sen cd S.A U.S",
        closing="itd itp etc",
    ),
    starters=_words("""
        W We Z Ze Na Do Od Po Przy Przez Dla O U Pod Nad Przed Za Między Podczas Według To Ten Ta Te
        Ci Tego On Ona Ono Oni One Ja Ty My Wy Jego Jej Ich Jak Gdy Kiedy Gdzie Kto Co Czy Dlaczego
        Który Która Jeśli Jeżeli Chociaż Choć Ponieważ Ale Lecz Jednak I A Oraz Więc Dlatego Także
        Również Nie Tak Już Teraz Dziś Dzisiaj Wczoraj Potem Wszyscy Wszystkie Każdy Jest Są Był
    """),
)
_CZECH = LanguageRules(
    abbreviations=_table(
        leading="""
            Dr dr prof Prof doc Doc Ing ing Mgr Bc MUDr JUDr PhDr RNDr PaedDr ThDr gen plk mjr kpt
            sv Sv tzv tzn tj např popř resp cca ca srov zvl p pí nám ul tř
        """,
        numbered="č Č čís s str odst čl kap obr tab sv roč tel §",
        open_="př.n.l n.l stol hod min mil mld tis Kč nar zem a.s s.r.o o.s ml st U.S",
        closing="atd apod aj etc",
    ),
    starters=_words("""
        V Ve Z Ze Na Do Od Po Při Přes Pro O U Pod Nad Před Za Mezi Během Podle To Ten Ta Tento Tato
        Toto Tito On Ona Ono Oni Já Ty My Vy Jeho Její Jejich Jak Když Kde Kdo Co Proč Který Která
        Jestli Pokud Ačkoli Protože Ale Avšak Však I A Nebo Proto Také Ne Ano Už Nyní Teď Dnes Včera
        Potom Všichni Každý Je Jsou Byl Byla Bylo
    """),
    vowelless=False,  # krk, vlk, prst are words
)
_RUSSIAN = LanguageRules(
    abbreviations=_table(
        leading="""
            г-н г-жа проф акад доц им ул пл пр просп пер наб см ср т.е т.н напр св гр тов ген полк
            ок
        """,
        numbered="с стр п пп ст гл рис табл т тт вып кн ч разд тел № § д кв корп",
        open_="г гг в вв н.э до.н.э тыс млн млрд трлн руб коп мин сек час р мм О.О.О США",
        closing="т.д т.п др",
    ),
    starters=_words("""
        В Во На С Со К Ко У О Об От До По За Из Под Над При Про Для Без Через Между После Перед
        Согласно Он Она Оно Они Я Ты Мы Вы Это Этот Эта Эти Тот Та Те Его Её Ее Их Мой Наш Как Когда
        Где Кто Что Почему Который Если Хотя Потому Но А И Или Однако Поэтому Также Тоже Не Да Нет
        Уже Сейчас Теперь Сегодня Вчера Потом Затем Все Всё Каждый Был Была Было Были Есть Так
    """),
)

_GREEK = LanguageRules(
    abbreviations=_table(
        leading="κ κα κος κκ δρ Δρ Δρος καθ π.χ βλ δηλ Αγ αγ οδ λεωφ στρ",
        numbered="αρ αριθ σελ σσ άρθρ παρ κεφ τόμ εικ τηλ Τηλ §",
        open_="μ.Χ π.Χ μ.μ π.μ χλμ εκ δισ εκατ ευρ Α.Ε Ο.Ε ΗΠΑ",
        closing="κ.λπ κλπ κ.ά κ.τ.λ κτλ κ.ο.κ",
    ),
    starters=_words("""
        Ο Η Το Οι Τα Τον Την Του Της Των Τους Τις Στο Στον Στη Στην Στα Σε Με Για Από Και Αλλά Όμως
        Αν Όταν Όπου Πώς Πού Ποιος Τι Γιατί Δεν Θα Να Είναι Ήταν Αυτός Αυτή Αυτό Αυτοί Εγώ Εσύ Εμείς
        Ένας Μία Μια Ένα Επίσης Μετά Πριν Τώρα Σήμερα Χθες Όλα Όλοι Κάθε
    """),
    semicolon_asks=True,
)
_HINDI = LanguageRules(
    abbreviations=_table(
        leading="डॉ डा प्रो पं श्री श्रीमती सुश्री कु रु मो लि कं सं जन स्व",
        numbered="क्र नं पृ अनु §",
    )
)

_DEFAULT = LanguageRules(abbreviations=_table(numbered="No Nr no nr p pp art fig tel Tel §"))
_RULES: Mapping[str, LanguageRules] = {
    "cs": _CZECH,
    "de": _GERMAN,
    "el": _GREEK,
    "en": _ENGLISH,
    "es": _SPANISH,
    "fr": _FRENCH,
    "hi": _HINDI,
    "it": _ITALIAN,
    "mr": _HINDI,
    "nl": _DUTCH,
    "pl": _POLISH,
    "pt": _PORTUGUESE,
    "ru": _RUSSIAN,
    "sk": _CZECH,
}
