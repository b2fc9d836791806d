import dragoman

with dragoman.load("de", "en") as translator:
    print(translator.translate("Guten Morgen!").text)
