print("GitHistory")
